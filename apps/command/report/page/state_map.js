// The map: the best state over size and density, for a number of calls on a slider.
const mapBox = () =>
    (isNarrow() ? {width: 480, height: 470, left: 70, right: 470, top: 26, bottom: 415} :
                  {width: 640, height: 470, left: 66, right: 630, top: 26, bottom: 420});
let mapCells = [];
let mapParts = null;

function mapScales(box) {
  const half = (list, i) => Math.sqrt(list[1] / list[0]) ** i;
  const x =
      scale(sizes[0] / half(sizes, 1), sizes.at(-1) * half(sizes, 1), box.left, box.right, true);
  const y = scale(
      densities[0] / half(densities, 1), densities.at(-1) * half(densities, 1), box.bottom, box.top,
      true);
  return {x, y};
}

function drawMap() {
  const box = mapBox();
  const {x, y} = mapScales(box);
  const width = (box.right - box.left) / sizes.length,
        height = (box.bottom - box.top) / densities.length;
  const corner = (i, j) => [box.left + i * width, box.bottom - (j + 1) * height];
  mapCells = [];
  const cells = svg('g', {'shape-rendering': 'crispEdges'});
  const beyond = svg('g', {});
  sizes.forEach((rows, i) => densities.forEach((density, j) => {
    const [left, top] = corner(i, j);
    const area =
        {x: left.toFixed(2), y: top.toFixed(2), width: width.toFixed(2), height: height.toFixed(2)};
    const rect = svg('rect', {...area, 'data-cell': cellOf(i, j)});
    const stripes = svg('rect', {...area, fill: 'url(#map-hatch)', 'pointer-events': 'none'});
    mapCells[cellOf(i, j)] = {rect, stripes, i, j, middle: [left + width / 2, top + height / 2]};
    cells.append(rect);
    beyond.append(stripes);
  }));
  const frame = axes(
      x, y, box,
      {x: 'rows, and as many columns', y: 'density', xText: tick, yText: percent, yTicks: 6});
  const labels = svg('g', {'pointer-events': 'none'});
  const chosen = svg('g', {'pointer-events': 'none'});
  for (const kind of ['chosen', 'chosen-inner'])
    chosen.append(svg('rect', {class: kind, width: width + 2, height: height + 2, rx: 2}));
  const picture =
      svg('svg', {
        viewBox: `0 0 ${box.width} ${box.height}`,
        id: 'map-svg',
        tabindex: 0,
        role: 'application',
        'aria-roledescription': 'map'
      },
          hatching('map-hatch'), frame, cells, beyond, labels, chosen);
  mapParts = {box, picture, labels, chosen, corner};
  picture.addEventListener('keydown', moveOnMap);
  picture.addEventListener('pointerdown', pointAtMap);
  picture.addEventListener('pointermove', event => {
    if (event.pointerType === 'mouse') pointAtMap(event);
  });
  put('map-plot', picture);

  updateMap();
}

function updateMap() {
  const winners = mapCells.map((place, cell) => {
    const list = ranking(cell);
    const best = list[0];
    place.rect.setAttribute('data-state', best ? best.state : '');
    place.rect.setAttribute('fill', best ? colourOf(best.state) : 'none');
    // As good as the second best: faint. Twice as good: full.
    const margin = list.length > 1 ? list[1].total / best.total : 2;
    place.rect.setAttribute(
        'fill-opacity', (0.4 + 0.6 * Math.min(Math.log2(margin) / 0.8, 1)).toFixed(2));
    place.stripes.setAttribute('visibility', best && isBeyond(cell, best.s) ? 'visible' : 'hidden');
    return best ? best.state : null;
  });
  labelRegions(winners);
  const seen = states.filter(state => winners.includes(state));
  put('map-legend', seen.map(stateKey));
  const shares =
      states.map(state => [state, winners.filter(name => name === state).length / winners.length])
          .filter(([, share]) => share > 0)
          .sort((a, b) => b[1] - a[1]);
  mapParts.picture.setAttribute(
      'aria-label',
      `Fastest state over size and density for ${choice.calls} calls from ${choice.from}: ` +
          shares.map(([state, share]) => `${state} on ${percent(share)} of the map`).join(', ') +
          '. The arrow keys choose a matrix, which is then described beside the map.');
  showChosen();
}

// Puts each state's name where it is furthest from any other state.
function labelRegions(winners) {
  mapParts.labels.replaceChildren();
  const depth = (i, j) => {
    for (let r = 1;; ++r) {
      for (let a = -r; a <= r; ++a) {
        for (const [u, v] of [[i + a, j - r], [i + a, j + r], [i - r, j + a], [i + r, j + a]]) {
          const inside = u >= 0 && v >= 0 && u < sizes.length && v < densities.length;
          if (!inside || winners[cellOf(u, v)] !== winners[cellOf(i, j)]) return r;
        }
      }
    }
  };
  const deepest = new Map();
  mapCells.forEach(({i, j, middle}, cell) => {
    if (!winners[cell]) return;
    const here = depth(i, j);
    if (here > (deepest.get(winners[cell])?.here ?? 1)) deepest.set(winners[cell], {here, middle});
  });
  const size = isNarrow() ? 15 : 12;
  for (const [state, {middle}] of deepest) {
    const half = state.length * size * 0.31 + 6;
    const x = Math.min(Math.max(middle[0], mapParts.box.left + half), mapParts.box.right - half);
    mapParts.labels.append(
        svg('rect', {
          class: 'chip',
          x: x - half,
          y: middle[1] - size,
          width: 2 * half,
          height: 2 * size - 2,
          rx: 4
        }),
        svg('text', {class: 'strong', x, y: middle[1] + 4, 'text-anchor': 'middle'}, state));
  }
}

function choose(i, j) {
  choice.size = Math.min(Math.max(i, 0), sizes.length - 1);
  choice.density = Math.min(Math.max(j, 0), densities.length - 1);
  showChosen();
}

function showChosen() {
  const [left, top] = mapParts.corner(choice.size, choice.density);
  for (const rect of mapParts.chosen.children) fill(rect, {x: left - 1, y: top - 1}, []);
  showCell();
}

function moveOnMap(event) {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [
                  0, -1
                ]}[event.key];
  if (!step) return;
  event.preventDefault();
  choose(choice.size + step[0], choice.density + step[1]);
}

function pointAtMap(event) {
  const cell = event.target.getAttribute && event.target.getAttribute('data-cell');
  if (cell === null || cell === undefined) return;
  const {i, j} = mapCells[cell];
  if (i !== choice.size || j !== choice.density) choose(i, j);
}
