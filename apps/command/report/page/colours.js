// Colours that the colour-blind tell apart too: one for each state, and a scale for amounts.

// Okabe and Ito's palette (2008) and more, for states in their order.
const stateColours = [
  '#e69f00', '#0072b2', '#cc79a7', '#009e73', '#d55e00', '#56b4e9', '#f0e442', '#8a8f98', '#7f5539',
  '#b5a1ff', '#5f7f00', '#ff9da7'
];
// Beyond the palette, hues a golden angle apart, in turn darker and lighter.
const colourOf = state => {
  const i = Math.max(report.map.states.indexOf(state), 0);
  if (i < stateColours.length) return stateColours[i];
  const k = i - stateColours.length;
  return `hsl(${(k * 137.508).toFixed(1)}, 65%, ${[42, 62, 30][k % 3]}%)`;
};

// Viridis (van der Walt and Smith, 2015), at nine points.
const viridis = [
  [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129],
  [92, 200, 99], [170, 220, 50], [253, 231, 37]
];
function shade(share) {
  const at = Math.min(Math.max(share, 0), 1) * (viridis.length - 1);
  const i = Math.min(Math.floor(at), viridis.length - 2);
  const mix = c => Math.round(viridis[i][c] + (at - i) * (viridis[i + 1][c] - viridis[i][c]));
  return `rgb(${mix(0)},${mix(1)},${mix(2)})`;
}

const key = (colour, label) =>
    el('span', {class: 'key'}, el('span', {class: 'swatch', style: `background:${colour}`}), label);
const stateKey = state => key(colourOf(state), state);
