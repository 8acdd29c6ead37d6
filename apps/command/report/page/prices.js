// Predicted times, from the planner's costs for each cell of the grid.
const {rows: sizes, densities, states, from: starts} = report.map;
const cellOf = (i, j) => i * densities.length + j;

const choice = {
  precision: 'float',
  vectors: 'travel',
  from: report.map.first_from,
  calls: 100,
  size: Math.round(0.6 * (sizes.length - 1)),
  density: Math.round(0.6 * (densities.length - 1)),
};

// {way, each} of a state: way + calls x each is the predicted time; null if not known.
function price(cell, s, from = starts.indexOf(choice.from)) {
  const layer = report.map.precisions[choice.precision];
  const size = Math.floor(cell / densities.length);
  const way = layer.way[from][s][cell], multiply = layer.multiply[s][cell];
  if (way === null || multiply === null) return null;
  if (choice.vectors === 'stay') return {way: way + (layer.first[s][size] ?? 0), each: multiply};
  return {way, each: multiply + (layer.vector[s][size] ?? 0)};
}

// All states that can be reached, fastest first: {state, s, way, each, total}.
function ranking(cell, calls = choice.calls) {
  const list = [];
  states.forEach((state, s) => {
    const known = price(cell, s);
    if (known) list.push({state, s, ...known, total: known.way + calls * known.each});
  });
  return list.sort((a, b) => a.total - b.total || a.way - b.way || a.s - b.s);
}

const isBeyond = (cell, s) => report.map.precisions[choice.precision].beyond[s][cell] === '1';

// From how many calls on which state is best: [{state, from}], the first from 1.
function turnsOverCalls(cell, most) {
  const turns = [];
  for (let calls = 1; calls <= most;) {
    const list = ranking(cell, calls);
    if (!list.length) return turns;
    const best = list[0];
    if (!turns.length || turns.at(-1).state !== best.state)
      turns.push({state: best.state, from: calls, total: best.total});
    let next = Infinity;
    for (const other of list.slice(1)) {
      const gain = best.each - other.each;
      if (gain > 0)
        next = Math.min(next, Math.max(Math.floor((other.way - best.way) / gain) + 1, calls + 1));
    }
    calls = next;
  }
  return turns;
}
