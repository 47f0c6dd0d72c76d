import * as postgresFirst from './postgres/0001-first.ts'
import * as postgresPetSources from './postgres/0002-pet-sources.ts'
import * as postgresSettledPets from './postgres/0003-settled-pets.ts'
import * as postgresClaim from './postgres/0004-claim.ts'
import * as postgresInstallation from './postgres/0005-installation.ts'
import * as postgresKnownTime from './postgres/0006-known-time.ts'
import * as postgresOrderIndexes from './postgres/0007-order-indexes.ts'
import * as postgresImportedFiles from './postgres/0008-imported-files.ts'
import * as postgresJobs from './postgres/0009-jobs.ts'
import * as postgresProfile from './postgres/0010-profile.ts'
import * as postgresOrganizations from './postgres/0011-organizations.ts'
import * as postgresVocabulary from './postgres/0012-vocabulary.ts'
import * as postgresBonds from './postgres/0013-bonds.ts'
import * as postgresPhotos from './postgres/0014-photos.ts'
import * as postgresPhotoSources from './postgres/0015-photo-sources.ts'
import * as postgresOrderPets from './postgres/0016-order-pets.ts'
import * as postgresSearch from './postgres/0017-search.ts'
import * as postgresStaff from './postgres/0018-staff.ts'
import * as postgresApplications from './postgres/0019-applications.ts'
import * as postgresSourceOwners from './postgres/0020-source-owners.ts'
import * as postgresTokens from './postgres/0021-tokens.ts'
import * as tables from './sqlite/0001-tables.ts'
import * as jobs from './sqlite/0002-jobs.ts'
import * as profile from './sqlite/0003-profile.ts'
import * as organizations from './sqlite/0004-organizations.ts'
import * as vocabulary from './sqlite/0005-vocabulary.ts'
import * as bonds from './sqlite/0006-bonds.ts'
import * as photos from './sqlite/0007-photos.ts'
import * as photoSources from './sqlite/0008-photo-sources.ts'
import * as orderPets from './sqlite/0009-order-pets.ts'
import * as search from './sqlite/0010-search.ts'
import * as staff from './sqlite/0011-staff.ts'
import * as applications from './sqlite/0012-applications.ts'
import * as sourceOwners from './sqlite/0013-source-owners.ts'
import * as tokens from './sqlite/0014-tokens.ts'

/** Every migration of each engine, in order. One that was released is never changed. */
export const MIGRATIONS = {
  sqlite: {
    '0001-tables': tables,
    '0002-jobs': jobs,
    '0003-profile': profile,
    '0004-organizations': organizations,
    '0005-vocabulary': vocabulary,
    '0006-bonds': bonds,
    '0007-photos': photos,
    '0008-photo-sources': photoSources,
    '0009-order-pets': orderPets,
    '0010-search': search,
    '0011-staff': staff,
    '0012-applications': applications,
    '0013-source-owners': sourceOwners,
    '0014-tokens': tokens,
  },
  postgres: {
    '0001-first': postgresFirst,
    '0002-pet-sources': postgresPetSources,
    '0003-settled-pets': postgresSettledPets,
    '0004-claim': postgresClaim,
    '0005-installation': postgresInstallation,
    '0006-known-time': postgresKnownTime,
    '0007-order-indexes': postgresOrderIndexes,
    '0008-imported-files': postgresImportedFiles,
    '0009-jobs': postgresJobs,
    '0010-profile': postgresProfile,
    '0011-organizations': postgresOrganizations,
    '0012-vocabulary': postgresVocabulary,
    '0013-bonds': postgresBonds,
    '0014-photos': postgresPhotos,
    '0015-photo-sources': postgresPhotoSources,
    '0016-order-pets': postgresOrderPets,
    '0017-search': postgresSearch,
    '0018-staff': postgresStaff,
    '0019-applications': postgresApplications,
    '0020-source-owners': postgresSourceOwners,
    '0021-tokens': postgresTokens,
  },
}
