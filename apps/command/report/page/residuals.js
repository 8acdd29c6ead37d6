// How far a model is off its samples: predicted over measured, over the bytes moved, and how often.
const residualBins = 17;

function drawResiduals(model) {
  const box = {width: 460, height: 190, left: 72, right: 356, top: 24, bottom: 142};
  const points = model.points.filter(point => point[3] > 0 && point[4] > 0)
                     .map(point => ({at: Math.max(point[2], 1), ratio: point[4] / point[3]}));
  if (!points.length)
    return el('p', {class: 'soft'}, 'The profile has no samples of this operation.');
  const worst = Math.max(2, ...points.map(({ratio}) => Math.max(ratio, 1 / ratio)));
  const most = Math.min(worst * 1.05, 10);
  const y = scale(1 / most, most, box.bottom, box.top, true);
  const ats = points.map(({at}) => at);
  const x = scale(
      Math.min(...ats), Math.max(Math.max(...ats), Math.min(...ats) * 2), box.left, box.right,
      true);
  const held = ratio => Math.min(Math.max(ratio, 1 / most), most);
  const counts = Array(residualBins).fill(0);
  for (const {ratio} of points) {
    const share = (Math.log(held(ratio)) + Math.log(most)) / (2 * Math.log(most));
    ++counts[Math.min(Math.floor(share * residualBins), residualBins - 1)];
  }
  const longest = Math.max(...counts), height = (box.bottom - box.top) / residualBins;
  const bars =
      counts
          .map((n, k) => {
            const length = 88 * n / longest;
            return n ?
                `M364 ${(box.bottom - (k + 1) * height + 0.6).toFixed(1)}h${length.toFixed(1)}v${
                    (height - 1.2).toFixed(1)}h${(-length).toFixed(1)}z` :
                '';
          })
          .join('');
  const near = points.filter(({ratio}) => ratio <= 1.1 && ratio >= 1 / 1.1).length;
  const marks = [0.1, 0.25, 0.5, 1, 2, 4, 10].filter(
      value =>
          value >= 1 / most && value <= most && (most > 4.5 || (value !== 0.1 && value !== 10)));
  const frame = axes(x, y, box, {
    x: 'bytes moved',
    y: 'predicted ÷ measured',
    xText: value => bytes(value),
    xTicks: 3,
    yTicks: 1,
    yText: () => ''
  });
  frame.querySelectorAll('text').forEach(text => {
    if (!text.textContent) text.remove();
  });
  for (const value of marks) {
    frame.append(
        svg('text', {x: box.left - 7, y: y(value) + 4, 'text-anchor': 'end'}, value + '×'));
  }
  return picture(
      box.width, box.height,
      `Predicted over measured seconds of ${points.length} samples: ${near} within 10 percent, ` +
          `at worst a factor of ${worst > 1000 ? 'more than 1000' : worst.toFixed(2)}`,
      frame,
      svg('rect', {class: 'band', x: box.left, y: y(1.1), width: 380, height: y(1 / 1.1) - y(1.1)}),
      svg('path', {class: 'reference', d: `M${box.left} ${y(1).toFixed(1)}H452`}),
      svg('path', {class: 'dots', d: dots(points.map(({at, ratio}) => [x(at), y(held(ratio))]))}),
      svg('path', {class: 'bars', d: bars}),
      svg('text', {x: 452, y: box.top - 8, 'text-anchor': 'end'},
          `${near} of ${points.length} within 10 %`));
}
