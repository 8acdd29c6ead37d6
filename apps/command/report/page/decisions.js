// Recorded decisions: their regret against the best fixed state, and the largest regrets.
const ruleNames = {
  hinted: 'adaptive, with call-count hint',
  unhinted: 'adaptive, without hint',
  csr_host: 'always csr@host'
};
const ruleLooks = {
  hinted: {stroke: '#0072b2'},
  unhinted: {stroke: '#009e73', 'stroke-dasharray': '7 3'},
  csr_host: {stroke: '#d55e00', 'stroke-dasharray': '2 3'}
};

function drawRegret(groups) {
  const box = lineBox();
  const names = Object.keys(groups).filter(name => groups[name]);
  const most = Math.min(Math.max(2, ...names.map(name => groups[name].p95 * 1.5)), 100);
  const x = scale(1, most, box.left, box.right, true), y = scale(0, 1, box.bottom, box.top, false);
  const lines = names.map(name => {
    const {regrets} = groups[name];
    const points = [[x(1), y(0)]];
    regrets.forEach((regret, i) => {
      const at = x(Math.min(Math.max(regret, 1), most));
      points.push([at, points.at(-1)[1]], [at, y((i + 1) / regrets.length)]);
    });
    return svg('path', {d: path(points), fill: 'none', 'stroke-width': 2.5, ...ruleLooks[name]});
  });
  const said = names.map(
      name => `${ruleNames[name]}: ${groups[name].regrets.filter(r => r <= 1.1).length} of ${
          groups[name].count} within 10 percent of the best`);
  return picture(
      box.width, box.height, `Share of workloads over their regret. ${said.join('; ')}`,
      axes(x, y, box, {
        x: 'regret: time ÷ best fixed state',
        y: 'share of workloads',
        xText: value => trimmed(value) + '×',
        yText: percent,
        xTicks: 6
      }),
      ...lines);
}

function machineDiffers(decisions) {
  const theirs = decisions.machine && decisions.machine.cpu;
  if (!theirs || theirs === report.machine.cpu) return null;
  return el(
      'p', {class: 'note'}, `These were measured on another machine (${theirs}) than the profile.`);
}

function showDecisions() {
  const {decisions} = report;
  if (!decisions) {
    put('decisions-body',
        el('p', {class: 'soft'}, 'No decisions were given. Record them with ',
           el('code', {}, 'switchyard bench decisions --json > bench.json'),
           ' and create this page with ',
           el('code', {}, 'switchyard report --decisions bench.json'), '.'));
    return;
  }
  const names = Object.keys(decisions.groups).filter(name => decisions.groups[name]);
  const lineKey = name =>
      el('span', {class: 'key'},
         svg('svg', {width: 26, height: 8, 'aria-hidden': 'true'},
             svg('path', {d: 'M0 4H26', 'stroke-width': 2.5, ...ruleLooks[name]})),
         ruleNames[name]);
  put('decisions-body',
      el('p', {},
         `From ${decisions.file}${
             decisions.date ?
                 `, recorded ${dateOf(decisions.date)}` :
                 ''}. Regret is the time taken over that of the best fixed state in hindsight, `,
         'conversions and transfers included: 1 is perfect.'),
      machineDiffers(decisions),
      el('div', {class: 'pair'},
         el('figure', {}, el('figcaption', {class: 'legend'}, names.map(lineKey)),
            el('div', {class: 'plot', id: 'regret-plot'}, drawRegret(decisions.groups))),
         el('div', {class: 'scroll'},
            table(
                'Regret',
                [
                  {title: 'Rule'}, {title: 'Workloads', number: true},
                  {title: 'Geometric mean', number: true}, {title: '95th percentile', number: true},
                  {title: 'Worst', number: true}
                ],
                names.map(name => {
                  const group = decisions.groups[name];
                  return [
                    ruleNames[name], String(group.count), times(group.geometric_mean),
                    times(group.p95), times(group.maximum)
                  ];
                })))),
      el('div', {class: 'scroll'},
         table(
             'Largest regrets',
             [
               {title: 'Matrix', name: true}, {title: 'Precision'}, {title: 'From', name: true},
               {title: 'Calls', number: true}, {title: 'Hint'}, {title: 'Time', number: true},
               {title: 'Best fixed', number: true}, {title: 'Regret', number: true},
               {title: 'Best state', name: true}, {title: 'Visited', name: true}
             ],
             decisions.worst.map(
                 entry =>
                     [entry.matrix, entry.precision, entry.from, String(entry.calls),
                      entry.hinted ? 'yes' : 'no', seconds(entry.seconds_adaptive),
                      seconds(entry.seconds_oracle), times(entry.regret), entry.oracle_state,
                      entry.states_visited.join(', ')]))));
}
