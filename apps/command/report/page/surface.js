// A model over size and density: as a surface in space, as the thesis shows it, or as a heat map.
const surfaceBox = () => ({width: 460, height: 335, left: 72, right: 446, top: 26, bottom: 262});
const levels = 24;

// The values to be shown at each point of a grid, and the axes that it spans.
function gridOf(model, view) {
  if (view.axes === 'linear') {
    const {elements, zeros} = report.linear;
    return {
      xs: elements,
      ys: zeros,
      values: model.linear_seconds,
      logarithmic: false,
      x: 'elements',
      y: 'zeros',
      of: point => [point[0], 1 - point[1]]
    };
  }
  return {
    xs: sizes.map(n => n * n),
    ys: densities,
    logarithmic: true,
    x: 'elements',
    y: 'density',
    beyond: model.beyond,
    values: view.quantity === 'time' ?
        model.seconds :
        model.seconds.map((s, cell) => report.bytes[model.bytes_of][cell] / s),
    of: point => [point[0], point[1]]
  };
}

const quantityText = quantity => (quantity === 'time' ? seconds : bandwidth);
const quantityOf = (quantity, [, , moved, measured]) =>
    (quantity === 'time' ? measured : moved / measured);

// Samples inside the axes, as {at, value}.
function samplesOn(grid, model, view) {
  return model.points.filter(point => point[0] !== null && point[1] !== null)
      .map(point => ({at: grid.of(point), value: quantityOf(view.quantity, point)}))
      .filter(
          ({at}) => at[0] >= (grid.logarithmic ? grid.xs[0] : 0) && at[0] <= grid.xs.at(-1) &&
              at[1] >= Math.min(...grid.ys) && at[1] <= Math.max(...grid.ys));
}

function rangeOf(grid, samples) {
  const all = [...grid.values, ...samples.map(sample => sample.value)].filter(value => value > 0);
  if (!all.length) return [1e-9, 1];
  return grid.logarithmic ? [Math.min(...all), Math.max(...all)] : [0, Math.max(...all)];
}

// Squares of one shade as one path each, with the beyond hatched and samples in their own shade:
// where a dot cannot be told from what is around it, the model is right.
function drawHeat(model, view, id) {
  const grid = gridOf(model, view), box = surfaceBox();
  const samples = samplesOn(grid, model, view);
  const [low, high] = rangeOf(grid, samples);
  const level = scale(low, high, 0, 1, grid.logarithmic);
  const edge = (list, i) =>
      (grid.logarithmic ? Math.sqrt(list[1] / list[0]) ** i : i * (list[1] - list[0]) / 2);
  const ends = list =>
      (grid.logarithmic ? [list[0] / edge(list, 1), list.at(-1) * edge(list, 1)] :
                          [list[0] - edge(list, 1), list.at(-1) + edge(list, 1)]);
  const x = scale(...ends(grid.xs), box.left, box.right, grid.logarithmic);
  const y = scale(...ends(grid.ys), box.bottom, box.top, grid.logarithmic);
  const width = (box.right - box.left) / grid.xs.length,
        height = (box.bottom - box.top) / grid.ys.length;
  const bins = Array.from({length: levels}, () => []), far = [],
        marks = Array.from({length: levels}, () => []);
  const bin = value => Math.min(Math.floor(level(value) * levels), levels - 1);
  grid.xs.forEach((_, i) => grid.ys.forEach((_, j) => {
    const cell = i * grid.ys.length + j;
    const square =
        `M${(box.left + i * width).toFixed(1)} ${(box.bottom - (j + 1) * height).toFixed(1)}h${
            (width + 0.3).toFixed(1)}v${(height + 0.3).toFixed(1)}h${(-width - 0.3).toFixed(1)}z`;
    bins[bin(grid.values[cell])].push(square);
    if (grid.beyond && grid.beyond[cell] === '1') far.push(square);
  }));
  for (const {at, value} of samples) marks[bin(value)].push([x(at[0]), y(at[1])]);
  const all = marks.flat();
  return [
    hatching(id), axes(x, y, box, {x: 'elements', y: grid.y, xText: tick, yText: percent}),
    ...bins.map(
        (squares, k) =>
            (squares.length ? svg('path', {d: squares.join(''), fill: shade((k + 0.5) / levels)}) :
                              null)),
    far.length ? svg('path', {d: far.join(''), fill: `url(#${id})`}) : null,
    svg('path', {d: dots(all), stroke: '#000', 'stroke-width': 8.5, 'stroke-linecap': 'round'}),
    svg('path', {d: dots(all), stroke: '#fff', 'stroke-width': 7, 'stroke-linecap': 'round'}),
    ...marks.map(
        (points, k) =>
            (points.length ? svg('path', {
              d: dots(points),
              stroke: shade((k + 0.5) / levels),
              'stroke-width': 5,
              'stroke-linecap': 'round'
            }) :
                             null)),
    legendBar(low, high, grid.logarithmic, quantityText(view.quantity), box)
  ];
}

function legendBar(low, high, logarithmic, text, box) {
  const group = svg('g', {'aria-hidden': 'true'});
  const width = 150, left = box.right - width - 62, top = 6;
  for (let k = 0; k < levels; ++k) {
    group.append(svg('rect', {
      x: left + k * width / levels,
      y: top,
      width: width / levels + 0.4,
      height: 8,
      fill: shade((k + 0.5) / levels)
    }));
  }
  group.append(
      svg('text', {x: left - 6, y: top + 9, 'text-anchor': 'end'}, text(low)),
      svg('text', {x: left + width + 6, y: top + 9}, text(high)));
  return group;
}

// Seen from above the corner of few elements, both axes leading away to the back.
function drawSpace(model, view) {
  const grid = gridOf(model, view), {width, height} = surfaceBox();
  const samples = samplesOn(grid, model, view);
  const [low, high] = rangeOf(grid, samples);
  const z = scale(low, high, 0, 1, grid.logarithmic);
  const first = grid.logarithmic ? grid.xs[0] : 0;
  const x = scale(first, grid.xs.at(-1), 0, 1, grid.logarithmic),
        y = scale(grid.ys[0], grid.ys.at(-1), 0, 1, grid.logarithmic);
  const spot = (u, v, w) => [232 + 168 * u - 150 * v, 292 - 62 * u - 72 * v - 150 * w];
  const step = Math.max(1, Math.round(grid.xs.length / 13));
  const along = list => list.map((_, i) => i).filter(i => i % step === 0 || i === list.length - 1);
  const is = along(grid.xs), js = along(grid.ys);
  const corner = (i, j) =>
      spot(x(grid.xs[i]), y(grid.ys[j]), z(grid.values[i * grid.ys.length + j]));
  const mesh = svg('g', {class: 'mesh'});
  for (let a = is.length - 2; a >= 0; --a) {
    for (let b = js.length - 2; b >= 0; --b) {
      const four = [[is[a], js[b]], [is[a + 1], js[b]], [is[a + 1], js[b + 1]], [is[a], js[b + 1]]];
      const mean =
          four.reduce((sum, [i, j]) => sum + z(grid.values[i * grid.ys.length + j]), 0) / 4;
      mesh.append(
          svg('path', {d: path(four.map(([i, j]) => corner(i, j))) + 'z', fill: shade(mean)}));
    }
  }
  const cloud = dots(samples.map(({at, value}) => spot(x(at[0]), y(at[1]), z(value))));
  return [
    spaceAxes(grid, {x, y, z}, spot, quantityText(view.quantity)), mesh,
    svg('path', {class: 'dots halo', d: cloud}), svg('path', {class: 'dots above', d: cloud})
  ];
}

function spaceAxes(grid, {x, y, z}, spot, text) {
  const group = svg('g', {'aria-hidden': 'true'});
  const line = (...points) =>
      group.append(svg('path', {class: 'axis', d: path(points.map(point => spot(...point)))}));
  const label = (at, words, anchor, dx, dy, kind) => group.append(svg(
      'text', {x: spot(...at)[0] + dx, y: spot(...at)[1] + dy, 'text-anchor': anchor, class: kind},
      words));
  line([0, 1, 0], [1, 1, 0], [1, 0, 0]);
  line([0, 1, 1], [1, 1, 1], [1, 0, 1]);
  line([0, 0, 0], [1, 0, 0], [1, 0, 1]);
  line([0, 0, 0], [0, 1, 0], [0, 1, 1]);
  line([1, 1, 0], [1, 1, 1]);
  const inside = (of, list) =>
      list.filter(value => value >= of.low * 0.999 && value <= of.high * 1.001);
  for (const value of inside(x, ticks(x, 3))) label([x(value), 0, 0], tick(value), 'start', 4, 14);
  for (const value of inside(y, ticks(y, 3)))
    label([0, y(value), 0], percent(value), 'end', -5, 12);
  // On linear axes, the zeros of time and of the others would lie upon each other.
  for (const value of inside(z, ticks(z, 4)).filter(each => each > 0)) {
    const [, at] = spot(0, 1, z(value));
    group.append(
        svg('path', {class: 'axis', d: `M${spot(0, 1, 0)[0]} ${at}h-4`}),
        svg('text', {x: spot(0, 1, 0)[0] - 7, y: at + 4, 'text-anchor': 'end'},
            text(value, trimmed)));
  }
  label([0.5, 0, 0], grid.x, 'start', 36, 34, 'strong');
  label([0, 0.5, 0], grid.y, 'end', -40, 36, 'strong');
  return group;
}

// A transfer has bytes alone: a line, as in the thesis's Figure 4.9.
function drawTransfer(model, view) {
  const box = surfaceBox(), logarithmic = view.axes === 'log';
  const value = ([moved, s]) => (view.quantity === 'time' ? s : moved / s);
  const samples = model.points.map(point => [point[2], quantityOf(view.quantity, point)]);
  const line = model.line.map(pair => [pair[0], value(pair)]);
  const all = [...samples, ...line].filter(pair => pair[0] > 0 && pair[1] > 0);
  if (!all.length) return [];
  const lowest = k => (logarithmic ? Math.min(...all.map(pair => pair[k])) : 0);
  const highest = k => Math.max(...all.map(pair => pair[k]));
  const x = scale(lowest(0), highest(0), box.left, box.right, logarithmic);
  const y = scale(lowest(1), highest(1) * 1.05, box.bottom, box.top, logarithmic);
  const text = quantityText(view.quantity);
  const cloud = dots(samples.map(pair => [x(pair[0]), y(pair[1])]));
  return [
    axes(
        x, y, box,
        {x: 'bytes', y: view.quantity, xText: bytes, yText: v => text(v, trimmed), xTicks: 3}),
    svg('path', {class: 'fit', d: path(line.map(pair => [x(pair[0]), y(pair[1])]))}),
    svg('path', {class: 'dots', d: cloud})
  ];
}
