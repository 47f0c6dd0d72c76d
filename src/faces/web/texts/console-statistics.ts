import { text } from '../../../http/language.ts'

export const statistics = {
  title: text('Statistics', 'Estadísticas'),
  lead: text(
    'These numbers come from the current data of the animals. Removed animals are not counted.',
    'Estas cifras se calculan con los datos actuales de los animales. Los animales eliminados no cuentan.',
  ),
  months: text('Period', 'Periodo'),
  monthsOf: (count: number) =>
    text(
      count === 1 ? 'This month' : `The last ${count} months`,
      count === 1 ? 'Este mes' : `Los últimos ${count} meses`,
    ),
  organization: text('Organization', 'Organización'),
  everywhere: text('All organizations', 'Todas las organizaciones'),
  show: text('Show', 'Mostrar'),
  csv: text('Download as CSV', 'Descargar como CSV'),
  figures: {
    inCare: text('In care today', 'En el refugio hoy'),
    intakes: text('Intakes', 'Ingresos'),
    outcomes: text('Outcomes', 'Salidas'),
    liveReleaseRate: text('Live release rate', 'Tasa de salidas con vida'),
    median: text('Median stay in days', 'Mediana de la estancia en días'),
    perAnimal: text('Applications per animal', 'Solicitudes por animal'),
  },
  /** A figure that cannot be computed yet. */
  unknown: text('–', '–'),
  rateHint: text(
    'The live release rate is the share of outcomes in which the animal left alive. ' +
      'Applications per animal counts only animals with an application.',
    'La tasa de salidas con vida es la proporción de salidas en las que el animal sale con vida. ' +
      'Las solicitudes por animal cuentan solo los animales con alguna solicitud.',
  ),
  columns: {
    month: text('Month', 'Mes'),
    type: text('Type', 'Tipo'),
    intakes: text('Intakes', 'Ingresos'),
    adopted: text('Adopted', 'Adoptados'),
    transferred: text('Transferred', 'Trasladados'),
    returnedToOwner: text('Returned to owner', 'Devueltos a su dueño'),
    died: text('Died', 'Fallecidos'),
    animals: text('Animals', 'Animales'),
    lowerQuartile: text('Lower quartile', 'Primer cuartil'),
    median: text('Median', 'Mediana'),
    upperQuartile: text('Upper quartile', 'Tercer cuartil'),
    days: text('Days in care', 'Días desde el ingreso'),
    total: text('Total', 'Total'),
  },
  tables: {
    months: text('Intakes and outcomes by month', 'Ingresos y salidas por mes'),
    types: text('Intakes and outcomes by type', 'Ingresos y salidas por tipo'),
    stays: text('Length of stay in days', 'Duración de la estancia en días'),
    waiting: text('Animals in care by days since intake', 'Animales en el refugio por días desde el ingreso'),
  },
  outcomes: text('Outcomes', 'Salidas'),
  range: (from: number, to: number | undefined) =>
    text(
      to === undefined ? `${from} or more` : `${from} to ${to}`,
      to === undefined ? `${from} o más` : `De ${from} a ${to}`,
    ),
  none: text('No animals in this period.', 'No hay animales en este periodo.'),
}
