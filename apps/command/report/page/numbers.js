// Quantities as people read them.
function threeDigits(value) {
  const digits = Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return value.toFixed(digits);
}

// Without zeros at the end, for axes.
const trimmed = value => String(+value.toPrecision(3));

function inUnits(value, steps, digits = threeDigits) {
  const [scale, unit] = steps.find(([least]) => Math.abs(value) >= least * 0.9995) || steps.at(-1);
  return digits(value / scale) + '\u202f' + unit;
}

function seconds(value, digits = threeDigits) {
  if (value === null || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  return inUnits(value, [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']], digits);
}
const bandwidth = (value, digits = threeDigits) =>
    (value === 0 ?
         '0' :
         inUnits(value, [[1e12, 'TB/s'], [1e9, 'GB/s'], [1e6, 'MB/s'], [1e3, 'kB/s']], digits));
const bytes = value =>
    (value === 0 ?
         '0' :
         inUnits(value, [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']], trimmed));

function count(value) {
  if (value < 10000) return String(Math.round(value));
  return inUnits(value, [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]);
}
// Short, for axes: 100, 10k, 1M.
function tick(value) {
  for (const [scale, unit] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
    if (value >= scale) return trimmed(value / scale) + unit;
  }
  return trimmed(value);
}
const percent = share => +(100 * share).toPrecision(share < 0.1 ? 2 : 3) + '\u202f%';
const times = ratio => (ratio < 9.995 ? ratio.toFixed(2) : threeDigits(ratio)) + '×';
