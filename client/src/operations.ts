// Made by `npm run generate -w client`; changes here are lost.

import type { Answer, NotModified } from './answer.ts'
import type {
  AnyOptions,
  CallOptions,
  ConditionalOptions,
  FileOptions,
  OnceConditionalOptions,
  OnceOptions,
  OneOrMore,
  Operation,
  ReadOptions,
} from './request.ts'
import type {
  Application,
  ApplicationPatch,
  ApplicationStatus,
  Applications,
  Categories,
  Category,
  CategoryPatch,
  Inventory,
  NewApplication,
  NewCategory,
  NewOrder,
  NewOrganization,
  NewPet,
  NewSuggestedBreed,
  NewSuggestedColor,
  Order,
  OrderPatch,
  OrderStatus,
  Orders,
  Organization,
  OrganizationPatch,
  Organizations,
  Pet,
  PetFacets,
  PetHistory,
  PetPatch,
  PetStatus,
  Pets,
  Photo,
  PhotoPatch,
  Photos,
  SuggestedBreed,
  SuggestedBreeds,
  SuggestedColor,
  SuggestedColors,
} from './schemas.ts'

export interface ListPetsParameters {
  /** Maximum number of animals returned. 20 unless told. */
  limit?: number | undefined
  /** Only in this status; repeatable. */
  status?: OneOrMore<PetStatus> | undefined
  /** Only animals of this category; repeatable. */
  categoryId?: OneOrMore<number> | undefined
  /** Only animals of this organization; repeatable. */
  organizationId?: OneOrMore<number> | undefined
  /** Only of this species; repeatable. */
  species?: OneOrMore<string> | undefined
  /** Only of this breed, as the first or the second; repeatable. */
  breed?: OneOrMore<string> | undefined
  /** Only with this color; repeatable. */
  color?: OneOrMore<string> | undefined
  /** Only with this coat; repeatable. */
  coat?: OneOrMore<'hairless' | 'short' | 'medium' | 'long' | 'wire' | 'curly'> | undefined
  /** Only in this age group; repeatable. */
  age?: OneOrMore<'baby' | 'young' | 'adult' | 'senior'> | undefined
  /** Only of this sex; repeatable. */
  sex?: OneOrMore<'female' | 'male' | 'unknown'> | undefined
  /** Only of this size; repeatable. */
  size?: OneOrMore<'small' | 'medium' | 'large' | 'extra_large'> | undefined
  /** Only with this tag; repeatable. */
  tag?: OneOrMore<string> | undefined
  /** Only with this number of its shelter; repeatable. */
  externalId?: OneOrMore<string> | undefined
  /** Only those that can, or cannot, live with children. */
  goodWithChildren?: 'true' | 'false' | undefined
  /** Only those that can, or cannot, live with dogs. */
  goodWithDogs?: 'true' | 'false' | undefined
  /** Only those that can, or cannot, live with cats. */
  goodWithCats?: 'true' | 'false' | undefined
  /** Only those that are spayed or neutered, or are not. */
  spayedNeutered?: 'true' | 'false' | undefined
  /** Only those that are house trained, or are not. */
  houseTrained?: 'true' | 'false' | undefined
  /** Only those that are declawed, or are not. */
  declawed?: 'true' | 'false' | undefined
  /** Only those that have special needs, or have none. */
  specialNeeds?: 'true' | 'false' | undefined
  /** Only those that are vaccinated, or are not. */
  vaccinated?: 'true' | 'false' | undefined
  /** Only those with photos, or without any. */
  hasPhotos?: 'true' | 'false' | undefined
  /** Only those born after this day. */
  bornAfter?: string | undefined
  /** Only those born before this day. */
  bornBefore?: string | undefined
  /** Only those that were `available` first after this moment. */
  publishedAfter?: string | undefined
  /** Only those that were `available` first before this moment. */
  publishedBefore?: string | undefined
  /** Only those that were changed at this moment or later. */
  updatedSince?: string | undefined
  /** Only those in this country (ISO 3166); repeatable. */
  country?: OneOrMore<string> | undefined
  /** Only those in this region; repeatable. */
  region?: OneOrMore<string> | undefined
  /** Only those with this postcode; repeatable. */
  postcode?: OneOrMore<string> | undefined
  /** Only those in this city; repeatable. */
  city?: OneOrMore<string> | undefined
  /**
   * Only those in whose name, breed, description, tags or place each of these words is; the last may be the
   * beginning of one. At most 8 words; without any, nobody is found. Those with the words in their name come
   * first.
   */
  q?: string | undefined
  /**
   * Only those near this latitude and longitude (52.09,5.12), postcode of the United States or Canada, or
   * city with its state or country (Denver, CO). Each answer then has its `distanceMeters`.
   */
  near?: string | undefined
  /** Only the animals with these ids; repeatable. */
  id?: OneOrMore<number> | undefined
  /** With `near`: at most so many kilometres away. 160 unless told. */
  within?: number | undefined
  /**
   * Newest first (`-id`), or oldest first (`id`): the order for a full copy while others add animals. Others
   * are `-publishedAt`, `publishedAt`, `name`, `age` (the youngest first) and, with `near`, `distance`. "-id"
   * unless told.
   */
  sort?: '-id' | 'id' | '-publishedAt' | 'publishedAt' | 'name' | 'age' | 'distance' | undefined
  /** Where the page begins: only as found in a Link header. */
  cursor?: string | undefined
  /**
   * Only these members, with commas between them; `*` stands for all. Others are absent, required ones too.
   * Beside the members of an animal there are `publishedAt` (when it was `available` first),
   * `statusChangedAt`, `createdAt` and `updatedAt`.
   */
  fields?: string | undefined
}

export interface ListPetFacetsParameters {
  /** The filter whose values are counted; repeatable. */
  facet: OneOrMore<
    | 'status'
    | 'categoryId'
    | 'organizationId'
    | 'species'
    | 'breed'
    | 'color'
    | 'coat'
    | 'age'
    | 'sex'
    | 'size'
    | 'tag'
    | 'goodWithChildren'
    | 'goodWithDogs'
    | 'goodWithCats'
    | 'spayedNeutered'
    | 'houseTrained'
    | 'declawed'
    | 'specialNeeds'
    | 'vaccinated'
    | 'hasPhotos'
    | 'country'
    | 'region'
    | 'postcode'
    | 'city'
  >
  /** Only in this status; repeatable. */
  status?: OneOrMore<PetStatus> | undefined
  /** Only animals of this category; repeatable. */
  categoryId?: OneOrMore<number> | undefined
  /** Only animals of this organization; repeatable. */
  organizationId?: OneOrMore<number> | undefined
  /** Only of this species; repeatable. */
  species?: OneOrMore<string> | undefined
  /** Only of this breed, as the first or the second; repeatable. */
  breed?: OneOrMore<string> | undefined
  /** Only with this color; repeatable. */
  color?: OneOrMore<string> | undefined
  /** Only with this coat; repeatable. */
  coat?: OneOrMore<'hairless' | 'short' | 'medium' | 'long' | 'wire' | 'curly'> | undefined
  /** Only in this age group; repeatable. */
  age?: OneOrMore<'baby' | 'young' | 'adult' | 'senior'> | undefined
  /** Only of this sex; repeatable. */
  sex?: OneOrMore<'female' | 'male' | 'unknown'> | undefined
  /** Only of this size; repeatable. */
  size?: OneOrMore<'small' | 'medium' | 'large' | 'extra_large'> | undefined
  /** Only with this tag; repeatable. */
  tag?: OneOrMore<string> | undefined
  /** Only with this number of its shelter; repeatable. */
  externalId?: OneOrMore<string> | undefined
  /** Only those that can, or cannot, live with children. */
  goodWithChildren?: 'true' | 'false' | undefined
  /** Only those that can, or cannot, live with dogs. */
  goodWithDogs?: 'true' | 'false' | undefined
  /** Only those that can, or cannot, live with cats. */
  goodWithCats?: 'true' | 'false' | undefined
  /** Only those that are spayed or neutered, or are not. */
  spayedNeutered?: 'true' | 'false' | undefined
  /** Only those that are house trained, or are not. */
  houseTrained?: 'true' | 'false' | undefined
  /** Only those that are declawed, or are not. */
  declawed?: 'true' | 'false' | undefined
  /** Only those that have special needs, or have none. */
  specialNeeds?: 'true' | 'false' | undefined
  /** Only those that are vaccinated, or are not. */
  vaccinated?: 'true' | 'false' | undefined
  /** Only those with photos, or without any. */
  hasPhotos?: 'true' | 'false' | undefined
  /** Only those born after this day. */
  bornAfter?: string | undefined
  /** Only those born before this day. */
  bornBefore?: string | undefined
  /** Only those that were `available` first after this moment. */
  publishedAfter?: string | undefined
  /** Only those that were `available` first before this moment. */
  publishedBefore?: string | undefined
  /** Only those that were changed at this moment or later. */
  updatedSince?: string | undefined
  /** Only those in this country (ISO 3166); repeatable. */
  country?: OneOrMore<string> | undefined
  /** Only those in this region; repeatable. */
  region?: OneOrMore<string> | undefined
  /** Only those with this postcode; repeatable. */
  postcode?: OneOrMore<string> | undefined
  /** Only those in this city; repeatable. */
  city?: OneOrMore<string> | undefined
  /**
   * Only those in whose name, breed, description, tags or place each of these words is; the last may be the
   * beginning of one. At most 8 words; without any, nobody is found. Those with the words in their name come
   * first.
   */
  q?: string | undefined
  /**
   * Only those near this latitude and longitude (52.09,5.12), postcode of the United States or Canada, or
   * city with its state or country (Denver, CO). Each answer then has its `distanceMeters`.
   */
  near?: string | undefined
  /** With `near`: at most so many kilometres away. 160 unless told. */
  within?: number | undefined
}

export interface GetPetParameters {
  /**
   * Only these members, with commas between them; `*` stands for all. Others are absent, required ones too.
   * Beside the members of an animal there are `publishedAt` (when it was `available` first),
   * `statusChangedAt`, `createdAt` and `updatedAt`.
   */
  fields?: string | undefined
  /** Identifier of the animal. */
  petId: number
}

export interface UpdatePetParameters extends PetPatch {
  /** Identifier of the animal. */
  petId: number
}

export interface DeletePetParameters {
  /** Identifier of the animal. */
  petId: number
}

export interface ListPetChangesParameters {
  /** Identifier of the animal. */
  petId: number
}

export interface ListPetPhotosParameters {
  /** Identifier of the animal. */
  petId: number
}

export interface AddPetPhotoParameters {
  /** What it shows, for those who cannot see it. */
  alt?: string | undefined
  /** Identifier of the animal. */
  petId: number
}

export interface GetPetPhotoParameters {
  /** Identifier of the animal. */
  petId: number
  /** Identifier of the photo. */
  photoId: number
}

export interface UpdatePetPhotoParameters extends PhotoPatch {
  /** Identifier of the animal. */
  petId: number
  /** Identifier of the photo. */
  photoId: number
}

export interface DeletePetPhotoParameters {
  /** Identifier of the animal. */
  petId: number
  /** Identifier of the photo. */
  photoId: number
}

export interface ListOrganizationPhotosParameters {
  /** Identifier of the organization. */
  organizationId: number
}

export interface AddOrganizationPhotoParameters {
  /** What it shows, for those who cannot see it. */
  alt?: string | undefined
  /** Identifier of the organization. */
  organizationId: number
}

export interface GetOrganizationPhotoParameters {
  /** Identifier of the organization. */
  organizationId: number
  /** Identifier of the photo. */
  photoId: number
}

export interface UpdateOrganizationPhotoParameters extends PhotoPatch {
  /** Identifier of the organization. */
  organizationId: number
  /** Identifier of the photo. */
  photoId: number
}

export interface DeleteOrganizationPhotoParameters {
  /** Identifier of the organization. */
  organizationId: number
  /** Identifier of the photo. */
  photoId: number
}

export interface GetCategoryParameters {
  /** Identifier of the category. */
  categoryId: number
}

export interface UpdateCategoryParameters extends CategoryPatch {
  /** Identifier of the category. */
  categoryId: number
}

export interface DeleteCategoryParameters {
  /** Identifier of the category. */
  categoryId: number
}

export interface ListBreedsParameters {
  /** Only those for animals of this category. */
  categoryId?: number | undefined
  /** Maximum number of names returned. 1000 unless told. */
  limit?: number | undefined
  /** Where the page begins: only as found in a Link header. */
  cursor?: string | undefined
}

export interface GetBreedParameters {
  /** Identifier of the name. */
  breedId: number
}

export interface DeleteBreedParameters {
  /** Identifier of the name. */
  breedId: number
}

export interface ListColorsParameters {
  /** Only those for animals of this category. */
  categoryId?: number | undefined
  /** Maximum number of names returned. 1000 unless told. */
  limit?: number | undefined
  /** Where the page begins: only as found in a Link header. */
  cursor?: string | undefined
}

export interface GetColorParameters {
  /** Identifier of the name. */
  colorId: number
}

export interface DeleteColorParameters {
  /** Identifier of the name. */
  colorId: number
}

export interface ListOrganizationsParameters {
  /** Maximum number of organizations returned. 20 unless told. */
  limit?: number | undefined
  /** Only those whose name or code has this in it, whatever the case of its letters. */
  q?: string | undefined
  /** Only those in this country (ISO 3166). */
  country?: string | undefined
  /** Only those in this region. */
  region?: string | undefined
  /**
   * Nearest first: to a latitude and longitude (52.09,5.12), a postcode of the United States or Canada, or a
   * city with its state or country (Denver, CO).
   */
  near?: string | undefined
  /** With `near`: at most so many kilometres away. 160 unless told. */
  within?: number | undefined
  /** Where the page begins: only as found in a Link header. */
  cursor?: string | undefined
}

export interface GetOrganizationParameters {
  /** Identifier of the organization. */
  organizationId: number
}

export interface UpdateOrganizationParameters extends OrganizationPatch {
  /** Identifier of the organization. */
  organizationId: number
}

export interface DeleteOrganizationParameters {
  /** Identifier of the organization. */
  organizationId: number
}

export interface GetInventoryParameters {
  /** Only animals of this organization. */
  organizationId?: number | undefined
}

export interface ListOrdersParameters {
  /** Maximum number of orders returned. 20 unless told. */
  limit?: number | undefined
  /** Open while placed or approved; closed once completed or cancelled. */
  status?: OrderStatus | undefined
  /** Only orders that take this animal: as petId, or among alsoPetIds. */
  petId?: number | undefined
  /** Where the page begins: only as found in a Link header. */
  cursor?: string | undefined
}

export interface GetOrderParameters {
  /** Identifier of the order. */
  orderId: number
}

export interface UpdateOrderParameters extends OrderPatch {
  /** Identifier of the order. */
  orderId: number
}

export interface CancelOrderParameters {
  /** Identifier of the order. */
  orderId: number
}

export interface ListApplicationsParameters {
  /** Maximum number of applications returned. 20 unless told. */
  limit?: number | undefined
  /** Open while received or in_review; approved once its order is placed. */
  status?: ApplicationStatus | undefined
  /** Only applications for this animal. */
  petId?: number | undefined
  /** Where the page begins: only as found in a Link header. */
  cursor?: string | undefined
}

export interface GetApplicationParameters {
  /** Identifier of the application. */
  applicationId: number
}

export interface UpdateApplicationParameters extends ApplicationPatch {
  /** Identifier of the application. */
  applicationId: number
}

/** Every operation of the service, under its operation id. */
export abstract class Operations {
  protected abstract send<Data>(
    operation: Operation,
    parameters: object,
    options: AnyOptions,
    file?: Blob,
  ): Promise<Answer<Data>>

  /**
   * List all animals. A page of at most `limit` animals, newest first; the Link header leads to the next one.
   * Different filters have to fit all, of one that is repeated any. A page may be shorter, or empty, and lead
   * to a next one. With exactly one `id`, ETag and Last-Modified are those of the animal: good for If-Match.
   */
  listPets(parameters: ListPetsParameters, options: ReadOptions): Promise<Answer<Pets> | NotModified>
  /**
   * List all animals. A page of at most `limit` animals, newest first; the Link header leads to the next one.
   * Different filters have to fit all, of one that is repeated any. A page may be shorter, or empty, and lead
   * to a next one. With exactly one `id`, ETag and Last-Modified are those of the animal: good for If-Match.
   */
  listPets(parameters?: ListPetsParameters, options?: CallOptions): Promise<Answer<Pets>>
  listPets(parameters: ListPetsParameters = {}, options: CallOptions = {}): Promise<Answer<Pets>> {
    return this.send({ method: 'GET', path: '/pets' }, parameters, options)
  }

  /**
   * Add an animal. When the answer arrives the animal is on the disk. Without a status it is not listed yet.
   */
  createPet(parameters: NewPet, options: OnceOptions = {}): Promise<Answer<Pet>> {
    return this.send({ method: 'POST', path: '/pets', onceByKey: true }, parameters, options)
  }

  /**
   * Count animals by the values of filters. With the filters of the list. Of up to 10,000 matching animals
   * the counts are exact; of more they are those of the newest 10,000, and `approximate` says so. Stability:
   * beta.
   */
  listPetFacets(
    parameters: ListPetFacetsParameters,
    options: ReadOptions,
  ): Promise<Answer<PetFacets> | NotModified>
  /**
   * Count animals by the values of filters. With the filters of the list. Of up to 10,000 matching animals
   * the counts are exact; of more they are those of the newest 10,000, and `approximate` says so. Stability:
   * beta.
   */
  listPetFacets(parameters: ListPetFacetsParameters, options?: CallOptions): Promise<Answer<PetFacets>>
  listPetFacets(parameters: ListPetFacetsParameters, options: CallOptions = {}): Promise<Answer<PetFacets>> {
    return this.send({ method: 'GET', path: '/pets/facets' }, parameters, options)
  }

  /**
   * Get an animal.
   * @deprecated Removed on 5 December 2030; use `GET /pets` with a `status` instead.
   */
  getPet(parameters: GetPetParameters, options: ReadOptions): Promise<Answer<Pet> | NotModified>
  /**
   * Get an animal.
   * @deprecated Removed on 5 December 2030; use `GET /pets` with a `status` instead.
   */
  getPet(parameters: GetPetParameters, options?: CallOptions): Promise<Answer<Pet>>
  getPet(parameters: GetPetParameters, options: CallOptions = {}): Promise<Answer<Pet>> {
    return this.send({ method: 'GET', path: '/pets/{petId}' }, parameters, options)
  }

  /** Change an animal. With If-Match only while nobody else has changed it. Stability: beta. */
  updatePet(parameters: UpdatePetParameters, options: OnceConditionalOptions = {}): Promise<Answer<Pet>> {
    return this.send({ method: 'PATCH', path: '/pets/{petId}', onceByKey: true }, parameters, options)
  }

  /** Remove an animal. For records made by mistake. Its id is not used again. Stability: beta. */
  deletePet(parameters: DeletePetParameters, options: ConditionalOptions = {}): Promise<Answer<undefined>> {
    return this.send({ method: 'DELETE', path: '/pets/{petId}' }, parameters, options)
  }

  /** List the changes of an animal. Who changed what and when, newest first. Stability: beta. */
  listPetChanges(
    parameters: ListPetChangesParameters,
    options: CallOptions = {},
  ): Promise<Answer<PetHistory>> {
    return this.send({ method: 'GET', path: '/pets/{petId}/history' }, parameters, options)
  }

  /** List the photos of an animal. Stability: beta. */
  listPetPhotos(parameters: ListPetPhotosParameters, options: CallOptions = {}): Promise<Answer<Photos>> {
    return this.send({ method: 'GET', path: '/pets/{petId}/photos' }, parameters, options)
  }

  /**
   * Add a photo to an animal. The body is a picture of at most 15 MB and 50 million pixels. The service turns
   * the picture upright, scales it down and encodes it again. It removes all metadata (EXIF, GPS, ICC,
   * comments). A picture that the animal or organization already has is not added again: the answer is 200
   * with that photo. Stability: beta.
   */
  addPetPhoto(
    parameters: AddPetPhotoParameters,
    file: Blob,
    options: FileOptions = {},
  ): Promise<Answer<Photo>> {
    return this.send(
      { method: 'POST', path: '/pets/{petId}/photos', onceByKey: true, takesFile: true },
      parameters,
      options,
      file,
    )
  }

  /** Get a photo of an animal. Stability: beta. */
  getPetPhoto(parameters: GetPetPhotoParameters, options: CallOptions = {}): Promise<Answer<Photo>> {
    return this.send({ method: 'GET', path: '/pets/{petId}/photos/{photoId}' }, parameters, options)
  }

  /** Change the alt text or position of a photo of an animal. Stability: beta. */
  updatePetPhoto(parameters: UpdatePetPhotoParameters, options: OnceOptions = {}): Promise<Answer<Photo>> {
    return this.send(
      { method: 'PATCH', path: '/pets/{petId}/photos/{photoId}', onceByKey: true },
      parameters,
      options,
    )
  }

  /**
   * Remove a photo of an animal. The service removes its files within seconds. Caches may keep them for a
   * year. Stability: beta.
   */
  deletePetPhoto(
    parameters: DeletePetPhotoParameters,
    options: CallOptions = {},
  ): Promise<Answer<undefined>> {
    return this.send({ method: 'DELETE', path: '/pets/{petId}/photos/{photoId}' }, parameters, options)
  }

  /** List the photos of an organization. Stability: beta. */
  listOrganizationPhotos(
    parameters: ListOrganizationPhotosParameters,
    options: CallOptions = {},
  ): Promise<Answer<Photos>> {
    return this.send({ method: 'GET', path: '/organizations/{organizationId}/photos' }, parameters, options)
  }

  /**
   * Add a photo to an organization. The body is a picture of at most 15 MB and 50 million pixels. The service
   * turns the picture upright, scales it down and encodes it again. It removes all metadata (EXIF, GPS, ICC,
   * comments). A picture that the animal or organization already has is not added again: the answer is 200
   * with that photo. Stability: beta.
   */
  addOrganizationPhoto(
    parameters: AddOrganizationPhotoParameters,
    file: Blob,
    options: FileOptions = {},
  ): Promise<Answer<Photo>> {
    return this.send(
      { method: 'POST', path: '/organizations/{organizationId}/photos', onceByKey: true, takesFile: true },
      parameters,
      options,
      file,
    )
  }

  /** Get a photo of an organization. Stability: beta. */
  getOrganizationPhoto(
    parameters: GetOrganizationPhotoParameters,
    options: CallOptions = {},
  ): Promise<Answer<Photo>> {
    return this.send(
      { method: 'GET', path: '/organizations/{organizationId}/photos/{photoId}' },
      parameters,
      options,
    )
  }

  /** Change the alt text or position of a photo of an organization. Stability: beta. */
  updateOrganizationPhoto(
    parameters: UpdateOrganizationPhotoParameters,
    options: OnceOptions = {},
  ): Promise<Answer<Photo>> {
    return this.send(
      { method: 'PATCH', path: '/organizations/{organizationId}/photos/{photoId}', onceByKey: true },
      parameters,
      options,
    )
  }

  /**
   * Remove a photo of an organization. The service removes its files within seconds. Caches may keep them for
   * a year. Stability: beta.
   */
  deleteOrganizationPhoto(
    parameters: DeleteOrganizationPhotoParameters,
    options: CallOptions = {},
  ): Promise<Answer<undefined>> {
    return this.send(
      { method: 'DELETE', path: '/organizations/{organizationId}/photos/{photoId}' },
      parameters,
      options,
    )
  }

  /** List all categories. Stability: beta. */
  listCategories(options: CallOptions = {}): Promise<Answer<Categories>> {
    return this.send({ method: 'GET', path: '/categories' }, {}, options)
  }

  /** Add a category. Stability: beta. */
  createCategory(parameters: NewCategory, options: OnceOptions = {}): Promise<Answer<Category>> {
    return this.send({ method: 'POST', path: '/categories', onceByKey: true }, parameters, options)
  }

  /** Get a category. Stability: beta. */
  getCategory(parameters: GetCategoryParameters, options: CallOptions = {}): Promise<Answer<Category>> {
    return this.send({ method: 'GET', path: '/categories/{categoryId}' }, parameters, options)
  }

  /** Change a category. Stability: beta. */
  updateCategory(parameters: UpdateCategoryParameters, options: OnceOptions = {}): Promise<Answer<Category>> {
    return this.send(
      { method: 'PATCH', path: '/categories/{categoryId}', onceByKey: true },
      parameters,
      options,
    )
  }

  /** Remove a category. Only one that no animal belongs to. Stability: beta. */
  deleteCategory(
    parameters: DeleteCategoryParameters,
    options: CallOptions = {},
  ): Promise<Answer<undefined>> {
    return this.send({ method: 'DELETE', path: '/categories/{categoryId}' }, parameters, options)
  }

  /**
   * List names of breeds. Suggestions, oldest first, in pages as of animals: an animal may have any other
   * name too. Stability: beta.
   */
  listBreeds(
    parameters: ListBreedsParameters = {},
    options: CallOptions = {},
  ): Promise<Answer<SuggestedBreeds>> {
    return this.send({ method: 'GET', path: '/breeds' }, parameters, options)
  }

  /** Add the name of a breed. Stability: beta. */
  createBreed(parameters: NewSuggestedBreed, options: OnceOptions = {}): Promise<Answer<SuggestedBreed>> {
    return this.send({ method: 'POST', path: '/breeds', onceByKey: true }, parameters, options)
  }

  /** Get the name of a breed. Stability: beta. */
  getBreed(parameters: GetBreedParameters, options: CallOptions = {}): Promise<Answer<SuggestedBreed>> {
    return this.send({ method: 'GET', path: '/breeds/{breedId}' }, parameters, options)
  }

  /** Remove the name of a breed. Animals that have it keep it. Stability: beta. */
  deleteBreed(parameters: DeleteBreedParameters, options: CallOptions = {}): Promise<Answer<undefined>> {
    return this.send({ method: 'DELETE', path: '/breeds/{breedId}' }, parameters, options)
  }

  /**
   * List names of colors. Suggestions, oldest first, in pages as of animals: an animal may have any other
   * name too. Stability: beta.
   */
  listColors(
    parameters: ListColorsParameters = {},
    options: CallOptions = {},
  ): Promise<Answer<SuggestedColors>> {
    return this.send({ method: 'GET', path: '/colors' }, parameters, options)
  }

  /** Add the name of a color. Stability: beta. */
  createColor(parameters: NewSuggestedColor, options: OnceOptions = {}): Promise<Answer<SuggestedColor>> {
    return this.send({ method: 'POST', path: '/colors', onceByKey: true }, parameters, options)
  }

  /** Get the name of a color. Stability: beta. */
  getColor(parameters: GetColorParameters, options: CallOptions = {}): Promise<Answer<SuggestedColor>> {
    return this.send({ method: 'GET', path: '/colors/{colorId}' }, parameters, options)
  }

  /** Remove the name of a color. Animals that have it keep it. Stability: beta. */
  deleteColor(parameters: DeleteColorParameters, options: CallOptions = {}): Promise<Answer<undefined>> {
    return this.send({ method: 'DELETE', path: '/colors/{colorId}' }, parameters, options)
  }

  /**
   * List organizations. Shelters and rescues, oldest first, or with `near` the nearest first, in pages as of
   * animals. Stability: beta.
   */
  listOrganizations(
    parameters: ListOrganizationsParameters = {},
    options: CallOptions = {},
  ): Promise<Answer<Organizations>> {
    return this.send({ method: 'GET', path: '/organizations' }, parameters, options)
  }

  /** Add an organization. Stability: beta. */
  createOrganization(parameters: NewOrganization, options: OnceOptions = {}): Promise<Answer<Organization>> {
    return this.send({ method: 'POST', path: '/organizations', onceByKey: true }, parameters, options)
  }

  /** Get an organization. Stability: beta. */
  getOrganization(
    parameters: GetOrganizationParameters,
    options: CallOptions = {},
  ): Promise<Answer<Organization>> {
    return this.send({ method: 'GET', path: '/organizations/{organizationId}' }, parameters, options)
  }

  /**
   * Change an organization. A key that belongs to an organization changes its own alone. A code stays as it
   * is. Stability: beta.
   */
  updateOrganization(
    parameters: UpdateOrganizationParameters,
    options: OnceOptions = {},
  ): Promise<Answer<Organization>> {
    return this.send(
      { method: 'PATCH', path: '/organizations/{organizationId}', onceByKey: true },
      parameters,
      options,
    )
  }

  /**
   * Remove an organization. Only one that no animal, order or key belongs to; a key that is revoked counts.
   * Stability: beta.
   */
  deleteOrganization(
    parameters: DeleteOrganizationParameters,
    options: CallOptions = {},
  ): Promise<Answer<undefined>> {
    return this.send({ method: 'DELETE', path: '/organizations/{organizationId}' }, parameters, options)
  }

  /**
   * Count the animals. How many stand in each status, overall and by category; always equal to the lists.
   * Stability: experimental.
   */
  getInventory(
    parameters: GetInventoryParameters = {},
    options: CallOptions = {},
  ): Promise<Answer<Inventory>> {
    return this.send({ method: 'GET', path: '/inventory' }, parameters, options)
  }

  /**
   * List orders. Those that this key placed; for a key of an organization those of its animals, for an admin
   * key all. Newest first, in pages as of animals. With petId those that take the animal, also beside
   * another. Stability: experimental.
   */
  listOrders(parameters: ListOrdersParameters = {}, options: CallOptions = {}): Promise<Answer<Orders>> {
    return this.send({ method: 'GET', path: '/store/orders' }, parameters, options)
  }

  /**
   * Place an order. The animal must be available, and becomes pending. Of all who want it at once exactly one
   * gets a 201. Stability: experimental.
   */
  createOrder(parameters: NewOrder, options: OnceOptions = {}): Promise<Answer<Order>> {
    return this.send({ method: 'POST', path: '/store/orders', onceByKey: true }, parameters, options)
  }

  /** Get an order. Stability: experimental. */
  getOrder(parameters: GetOrderParameters, options: CallOptions = {}): Promise<Answer<Order>> {
    return this.send({ method: 'GET', path: '/store/orders/{orderId}' }, parameters, options)
  }

  /**
   * Decide about an order. Approves, completes or cancels it. Completing makes the animal sold, cancelling
   * available. Stability: experimental.
   */
  updateOrder(parameters: UpdateOrderParameters, options: OnceOptions = {}): Promise<Answer<Order>> {
    return this.send(
      { method: 'PATCH', path: '/store/orders/{orderId}', onceByKey: true },
      parameters,
      options,
    )
  }

  /**
   * Cancel an order. The animal is available again. The order stays, as cancelled. Stability: experimental.
   */
  cancelOrder(parameters: CancelOrderParameters, options: CallOptions = {}): Promise<Answer<undefined>> {
    return this.send({ method: 'DELETE', path: '/store/orders/{orderId}' }, parameters, options)
  }

  /**
   * List applications. Those that this key sent; for a key of an organization those for its animals, for an
   * admin key all. Newest first, in pages as of animals. Stability: beta.
   */
  listApplications(
    parameters: ListApplicationsParameters = {},
    options: CallOptions = {},
  ): Promise<Answer<Applications>> {
    return this.send({ method: 'GET', path: '/applications' }, parameters, options)
  }

  /**
   * Send an application. The animal must be available or pending, and stays as it is: many may apply for it,
   * until one is approved. Stability: beta.
   */
  createApplication(parameters: NewApplication, options: OnceOptions = {}): Promise<Answer<Application>> {
    return this.send({ method: 'POST', path: '/applications', onceByKey: true }, parameters, options)
  }

  /** Get an application. Stability: beta. */
  getApplication(
    parameters: GetApplicationParameters,
    options: CallOptions = {},
  ): Promise<Answer<Application>> {
    return this.send({ method: 'GET', path: '/applications/{applicationId}' }, parameters, options)
  }

  /**
   * Decide about an application. Approving it places an order, which is approved too, and makes the animal
   * pending. From then on the order decides: when it is complete, all other applications for the animal are
   * declined; when it is cancelled, this one is in review again. To decline an approved one cancels its
   * order. Stability: beta.
   */
  updateApplication(
    parameters: UpdateApplicationParameters,
    options: OnceOptions = {},
  ): Promise<Answer<Application>> {
    return this.send(
      { method: 'PATCH', path: '/applications/{applicationId}', onceByKey: true },
      parameters,
      options,
    )
  }
}
