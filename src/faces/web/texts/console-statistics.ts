const en = {
  title: 'Statistics',
  lead: 'These numbers come from the current data of the animals. Removed animals are not counted.',
  months: 'Period',
  monthsOf: (count: number) => (count === 1 ? 'This month' : `The last ${count} months`),
  organization: 'Organization',
  everywhere: 'All organizations',
  show: 'Show',
  csv: 'Download as CSV',
  figures: {
    inCare: 'In care today',
    intakes: 'Intakes',
    outcomes: 'Outcomes',
    liveReleaseRate: 'Live release rate',
    median: 'Median stay in days',
    perAnimal: 'Applications per animal',
  },
  /** A figure that cannot be computed yet. */
  unknown: '–',
  rateHint:
    'The live release rate is the share of outcomes in which the animal left alive. ' +
    'Applications per animal counts only animals with an application.',
  columns: {
    month: 'Month',
    type: 'Type',
    intakes: 'Intakes',
    adopted: 'Adopted',
    transferred: 'Transferred',
    returnedToOwner: 'Returned to owner',
    died: 'Died',
    animals: 'Animals',
    lowerQuartile: 'Lower quartile',
    median: 'Median',
    upperQuartile: 'Upper quartile',
    days: 'Days in care',
    total: 'Total',
  },
  tables: {
    months: 'Intakes and outcomes by month',
    types: 'Intakes and outcomes by type',
    stays: 'Length of stay in days',
    waiting: 'Animals in care by days since intake',
  },
  outcomes: 'Outcomes',
  range: (from: number, to: number | undefined) =>
    to === undefined ? `${from} or more` : `${from} to ${to}`,
  none: 'No animals in this period.',
}

const es: typeof en = {
  title: 'Estadísticas',
  lead: 'Estas cifras se calculan con los datos actuales de los animales. Los animales eliminados no cuentan.',
  months: 'Periodo',
  monthsOf: (count) => (count === 1 ? 'Este mes' : `Los últimos ${count} meses`),
  organization: 'Organización',
  everywhere: 'Todas las organizaciones',
  show: 'Mostrar',
  csv: 'Descargar como CSV',
  figures: {
    inCare: 'En el refugio hoy',
    intakes: 'Ingresos',
    outcomes: 'Salidas',
    liveReleaseRate: 'Tasa de salidas con vida',
    median: 'Mediana de la estancia en días',
    perAnimal: 'Solicitudes por animal',
  },
  unknown: '–',
  rateHint:
    'La tasa de salidas con vida es la proporción de salidas en las que el animal sale con vida. ' +
    'Las solicitudes por animal cuentan solo los animales con alguna solicitud.',
  columns: {
    month: 'Mes',
    type: 'Tipo',
    intakes: 'Ingresos',
    adopted: 'Adoptados',
    transferred: 'Trasladados',
    returnedToOwner: 'Devueltos a su dueño',
    died: 'Fallecidos',
    animals: 'Animales',
    lowerQuartile: 'Primer cuartil',
    median: 'Mediana',
    upperQuartile: 'Tercer cuartil',
    days: 'Días desde el ingreso',
    total: 'Total',
  },
  tables: {
    months: 'Ingresos y salidas por mes',
    types: 'Ingresos y salidas por tipo',
    stays: 'Duración de la estancia en días',
    waiting: 'Animales en el refugio por días desde el ingreso',
  },
  outcomes: 'Salidas',
  range: (from, to) => (to === undefined ? `${from} o más` : `De ${from} a ${to}`),
  none: 'No hay animales en este periodo.',
}

export const statistics = { en, es }
