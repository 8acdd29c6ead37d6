// The chosen matrix: the predicted time in each state, over the number of calls and the density.
const lineBox = () =>
    (isNarrow() ? {width: 480, height: 360, left: 78, right: 448, top: 26, bottom: 308} :
                  {width: 560, height: 320, left: 66, right: 532, top: 26, bottom: 272});
const mostCalls = 10000;
// Of the chosen matrix's states, beside those that are the fastest somewhere on the axis.
const mostLines = 8;

function showCell() {
  const cell = cellOf(choice.size, choice.density);
  const rows = sizes[choice.size], density = densities[choice.density];
  const list = ranking(cell);
  put('cell-title',
      `${rows} × ${rows}, ${percent(density)} (${count(rows * rows * density)} nonzeros), ${
          choice.calls} ` +
          (choice.calls === 1 ? 'call' : 'calls'));
  put('cell-table',
      table(
          null,
          [
            {title: 'State', name: true}, {title: 'Total', number: true},
            {title: 'Over best', number: true}, {title: 'Move there', number: true},
            {title: 'Per call', number: true}
          ],
          list.map((entry, rank) => ({
                     kind: rank === 0 ? 'best' : null,
                     cells: [
                       [stateKey(entry.state), isBeyond(cell, entry.s) ? ' *' : ''],
                       seconds(entry.total), times(entry.total / list[0].total), seconds(entry.way),
                       seconds(entry.each)
                     ],
                   }))));
  put('cell-words', cellWords(cell, list));
  drawOverCalls(cell);
  drawOverDensity();
}

function cellWords(cell, list) {
  if (!list.length) return 'No state can compute this.';
  const turns = turnsOverCalls(cell, mostCalls);
  const spoken = turns.length < 2 ?
      'It is the fastest for every number of calls shown.' :
      `By number of calls: ${
          turns
              .map(turn => (turn.from === 1 ? turn.state : `from ${turn.from} calls ${turn.state}`))
              .join(', ')}.`;
  const margin = list.length > 1 ?
      `, ${times(list[1].total / list[0].total)} faster than ${list[1].state}` :
      '';
  const beyond = list.some(entry => isBeyond(cell, entry.s)) ?
      ' * extrapolated beyond the calibrated sizes.' :
      '';
  return `Fastest: ${list[0].state}${margin}. ${spoken}${beyond}`;
}

// Lines of the fastest states over one quantity, the best of them thick, and marks where that
// turns.
function drawLines(id, x, xs, totals, label, titles, now, turns) {
  const box = lineBox();
  const values = totals.flatMap(line => line.values).filter(value => value > 0);
  if (!values.length) return put(id, el('p', {class: 'soft'}, 'No time is predicted.'));
  const y = scale(Math.min(...values) / 1.3, Math.max(...values) * 1.3, box.bottom, box.top, true);
  const group = svg('g', {fill: 'none', 'stroke-linejoin': 'round'});
  const best = xs.map((_, i) => Math.min(...totals.map(line => line.values[i] ?? Infinity)));
  const fastest = ranking(cellOf(choice.size, choice.density)).slice(0, mostLines);
  const isShown = line => fastest.some(entry => entry.state === line.state) ||
      line.values.some((value, i) => value !== null && value === best[i]);
  for (const line of totals.filter(isShown)) {
    const points = xs.map((at, i) => [x(at), line.values[i] === null ? null : y(line.values[i])])
                       .filter(point => point[1] !== null);
    if (!points.length) continue;
    const thick = [];
    xs.forEach((at, i) => {
      if (line.values[i] !== null && line.values[i] <= best[i] * 1.0000001) thick.push(i);
    });
    const colour = colourOf(line.state);
    group.append(svg('path', {d: path(points), stroke: colour, 'stroke-width': 2}));
    let run = [];
    for (const i of [...thick, Infinity]) {
      if (run.length && i !== run.at(-1) + 1) {
        const last = Math.min(run.at(-1) + 1, xs.length - 1);
        const stretch =
            [...run, ...(last > run.at(-1) && line.values[last] !== null ? [last] : [])];
        group.append(svg('path', {
          d: path(stretch.map(k => [x(xs[k]), y(line.values[k])])),
          stroke: colour,
          'stroke-width': 5,
          'stroke-linecap': 'round',
          opacity: 0.75
        }));
        run = [];
      }
      run.push(i);
    }
  }
  const marks = svg('g', {});
  for (const turn of turns) {
    const at = [x(turn.at), y(turn.total)];
    marks.append(
        svg('circle', {
          cx: at[0],
          cy: at[1],
          r: 4.5,
          fill: 'var(--card)',
          stroke: 'var(--ink)',
          'stroke-width': 1.5
        }),
        svg('text', {
          class: 'strong',
          x: at[0],
          y: Math.max(at[1] - 11, box.top + 12),
          'text-anchor': 'middle'
        },
            turn.text));
  }
  put(id,
      picture(
          box.width, box.height, label,
          axes(x, y, box, {...titles, yText: value => seconds(value, trimmed)}),
          svg('path', {class: 'reference', d: `M${x(now).toFixed(1)} ${box.top}V${box.bottom}`}),
          group, marks));
}

function drawOverCalls(cell) {
  const box = lineBox();
  const xs = Array.from({length: 81}, (_, i) => 10 ** (i / 20));
  const x = scale(1, mostCalls, box.left, box.right, true);
  const totals = states.map((state, s) => {
    const known = price(cell, s);
    return {state, values: xs.map(calls => (known ? known.way + calls * known.each : null))};
  });
  const turns = turnsOverCalls(cell, mostCalls);
  drawLines(
      'over-calls', x, xs, totals,
      `Predicted seconds in each state over the number of calls. Fastest: ` +
          turns.map(turn => `from ${turn.from}, ${turn.state}`).join('; '),
      {x: 'calls', y: 'total time', xText: tick}, choice.calls,
      turns.slice(1).map(turn => ({at: turn.from, total: turn.total, text: String(turn.from)})));
}

function drawOverDensity() {
  const box = lineBox();
  const x = scale(densities[0], densities.at(-1), box.left, box.right, true);
  const totals = states.map((state, s) => ({
                              state,
                              values: densities.map((_, j) => {
                                const known = price(cellOf(choice.size, j), s);
                                return known ? known.way + choice.calls * known.each : null;
                              })
                            }));
  const turns = [];
  for (let j = 1; j < densities.length; ++j) {
    const [before, after] = [ranking(cellOf(choice.size, j - 1)), ranking(cellOf(choice.size, j))];
    if (!before.length || !after.length || before[0].s === after[0].s) continue;
    // Straight lines between neighbours, on logarithmic axes, meet at this share of the way. A line
    // that begins or ends between them turns there.
    const [from, to] = [before[0].s, after[0].s].map(s => totals[s].values);
    const gap = k => Math.log(to[k] / from[k]);
    const isWhole = [from[j], to[j - 1]].every(value => value !== null);
    const share = isWhole ? Math.min(Math.max(gap(j - 1) / (gap(j - 1) - gap(j)), 0), 1) : 1;
    const at = densities[j - 1] * (densities[j] / densities[j - 1]) ** share;
    turns.push({
      at,
      total: isWhole ? from[j - 1] * (from[j] / from[j - 1]) ** share : to[j],
      text: percent(+at.toPrecision(2)),
      to: after[0].state
    });
  }
  drawLines(
      'over-density', x, densities, totals,
      'Predicted seconds in each state over the density. ' +
          (turns.length ?
               turns.map(turn => `From ${turn.text}, ${turn.to} is the fastest`).join('; ') :
               'One state is the fastest throughout'),
      {x: 'density', y: 'total time', xText: percent, xTicks: isNarrow() ? 3 : 6},
      densities[choice.density], turns);
}
