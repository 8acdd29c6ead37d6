// The table of all models, and a card for each that depends on a matrix or on bytes.
const view = {
  operation: 'multiply',
  precision: 'float',
  quantity: 'time',
  shape: 'space',
  axes: 'log'
};

const titleOf = model => [model.operation, model.of, model.variant ? `· ${model.variant}` : '']
                             .filter(Boolean)
                             .join(' ');

function showModelTable() {
  const weak = report.models.filter(model => model.weakness);
  const held = report.models.map(model => model.median_error).sort((a, b) => a - b);
  put('models-words',
      `${report.models.length} models; the middle one has a median error of ${
          percent(held[Math.floor(held.length / 2)] || 0)}. `,
      weak.length ?
          el('span', {class: 'weak'},
             `${weak.length} ${
                 weak.length === 1 ?
                     'is' :
                     'are'} inaccurate: decisions that depend on them may be wrong. Their cards say what to do. `) :
          'None is inaccurate.');
  put('models-table',
      table(
          'Errors are relative, on samples that the fit did not use.',
          [
            {title: 'Operation'}, {title: 'Of', name: true}, {title: 'Verdict', name: true},
            {title: 'p95 error', number: true}, {title: 'Median error', number: true},
            {title: 'R²', number: true}, {title: 'Samples', number: true}, {title: 'Precision'},
            {title: 'Kernel', name: true}
          ],
          report.models.map(
              model =>
                  [model.operation, model.of,
                   model.weakness ? el('span', {class: 'weak'}, `inaccurate: ${model.weakness}`) :
                                    'accurate',
                   percent(model.p95_error), percent(model.median_error),
                   model.r_squared.toFixed(4), String(model.samples), model.precision || 'any',
                   model.variant])));
  byId('models-table').setAttribute('tabindex', '0');
  byId('models-table').setAttribute('role', 'region');
  byId('models-table').setAttribute('aria-label', 'All models');
}

function modelPicture(model, number) {
  const {width, height} = surfaceBox();
  const words = `${titleOf(model)}: ${view.quantity} over ${
      model.line ? 'bytes' : 'size and density'}, with ${model.points.length} samples`;
  const parts = model.line   ? drawTransfer(model, view) :
      view.shape === 'space' ? drawSpace(model, view) :
                               drawHeat(model, view, `hatch-${number}`);
  return picture(width, height, words, ...parts);
}

function modelCard(model, number) {
  const hidden =
      model.line ? 0 : model.points.filter(point => point[0] === null || point[1] === null).length;
  return el(
      'article', {class: 'model', 'data-model': titleOf(model)}, el('h3', {}, titleOf(model)),
      model.precision ? el('p', {class: 'soft'}, model.precision) : null,
      el('div', {class: 'plot'}, modelPicture(model, number)),
      el('div', {class: 'plot'}, drawResiduals(model)),
      el('p', {class: 'soft'},
         `R² ${model.r_squared.toFixed(4)}, held-out error: median ${
             percent(model.median_error)}, 95th percentile ${percent(model.p95_error)}` +
             (hidden ? `; ${hidden} of ${
                           model.points.length} samples only in the residuals: density unknown` :
                       '')),
      model.weakness ?
          el('p', {class: 'weak-note'}, `Inaccurate: ${model.weakness}. ${model.remedy}.`) :
          null,
      el('details', {}, el('summary', {}, 'Formula, in seconds'),
         model.tiers.map(tier => el('div', {}, el('code', {}, tier)))));
}

function showModelCards() {
  // Bandwidth has no linear grid.
  const of = report.models.filter(
      model => (model.seconds || model.line) && model.operation === view.operation &&
          (!model.precision || model.precision === view.precision));
  const rank = model => [model.of, model.variant].join(' ');
  of.sort((a, b) => rank(a).localeCompare(rank(b)));
  put('model-cards', of.map(modelCard));
}

function showModels() {
  showModelTable();
  const change = name => value => {
    view[name] = value;
    showModelCards();
  };
  const operations = ['multiply', 'convert', 'transfer'].filter(
      name => report.models.some(model => model.operation === name));
  if (!operations.includes(view.operation)) view.operation = operations[0];
  segments(
      'model-operation', operations.map(name => [name, name]), view.operation, change('operation'));
  segments(
      'model-precision', [['float', 'float'], ['double', 'double']], view.precision,
      change('precision'));
  segments(
      'model-shape', [['space', 'surface'], ['heat', 'heat map']], view.shape, change('shape'));
  const axesOf = () =>
      segments('model-axes', [['log', 'logarithmic'], ['linear', 'linear']], view.axes, value => {
        view.axes = value;
        if (value === 'linear') view.quantity = 'time';
        quantities();
        showModelCards();
      });
  const quantities = () => segments(
      'model-quantity', [['time', 'time'], ['bandwidth', 'bandwidth']], view.quantity, value => {
        view.quantity = value;
        if (value === 'bandwidth') view.axes = 'log';
        axesOf();
        showModelCards();
      });
  quantities();
  axesOf();
  showModelCards();
}
