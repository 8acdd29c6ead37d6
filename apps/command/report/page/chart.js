// Axes, scales and lines that the plots share. Lengths are in units of the viewBox.

// Narrow screens get plots of their own proportions, so that labels stay legible.
const isNarrow = () => window.matchMedia('(max-width: 480px)').matches;

function scale(low, high, from, to, logarithmic) {
  const f = logarithmic ? Math.log : x => x;
  const begin = f(low), length = f(high) - begin || 1;
  // What no scale can show, like a time of zero on a logarithmic one, is where it begins.
  const at = value => {
    const place = from + (f(value) - begin) / length * (to - from);
    return Number.isFinite(place) ? place : from;
  };
  return Object.assign(at, {low, high, logarithmic});
}

function ticks(of, most) {
  const {low, high, logarithmic} = of;
  const list = [];
  if (!(high > low && Number.isFinite(high) && (!logarithmic || low > 0))) return list;
  if (logarithmic) {
    const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    for (let e = first; e <= last; e += step) list.push(10 ** e);
    if (last - first > 1) return list;
    // Less than two decades: 1, 2, 5, 10 and so on.
    return [-1, 0, 1]
        .flatMap(k => [1, 2, 5].map(m => m * 10 ** (first + k)))
        .filter(value => value >= low * 0.999 && value <= high * 1.001);
  }
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(m => m * power >= raw);
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high * (1 + 1e-9); v += step) list.push(v);
  return list;
}

const path = points =>
    points.map(([x, y], i) => (i ? 'L' : 'M') + x.toFixed(1) + ' ' + y.toFixed(1)).join('');
// Each point as a line of no length, which a round cap makes a dot: one element for all of them.
const dots = points => points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join('');

// A frame with ticks and titles; x and y are scales whose ends are the frame's sides.
function axes(x, y, box, titles) {
  const group = svg('g', {'aria-hidden': 'true'});
  for (const value of ticks(x, titles.xTicks || 5)) {
    group.append(
        svg('path', {class: 'grid', d: `M${x(value).toFixed(1)} ${box.top}V${box.bottom}`}),
        svg('text', {x: x(value), y: box.bottom + 17, 'text-anchor': 'middle'},
            titles.xText(value)));
  }
  for (const value of ticks(y, titles.yTicks || 5)) {
    group.append(
        svg('path', {class: 'grid', d: `M${box.left} ${y(value).toFixed(1)}H${box.right}`}),
        svg('text', {x: box.left - 7, y: y(value) + 4, 'text-anchor': 'end'}, titles.yText(value)));
  }
  group.append(svg('rect', {
    class: 'frame',
    x: box.left,
    y: box.top,
    width: box.right - box.left,
    height: box.bottom - box.top
  }));
  if (titles.x)
    group.append(
        svg('text', {x: (box.left + box.right) / 2, y: box.bottom + 36, 'text-anchor': 'middle'},
            titles.x));
  if (titles.y) group.append(svg('text', {x: box.left, y: box.top - 8}, titles.y));
  return group;
}

// An image to those who cannot see it: `label` says what it shows.
const picture = (width, height, label, ...children) =>
    svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label}, ...children);

// Lines drawn of stripes, over what is beyond the measured; each use needs an id of its own.
function hatching(id) {
  return svg(
      'defs', {},
      svg('pattern',
          {id, width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
          svg('path', {class: 'hatch', d: 'M0 0V6'})));
}
