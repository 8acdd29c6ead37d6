// The table of densities from which another state is the fastest.
function showTurns() {
  const of = report.turning_points.filter(
      entry => entry.precision === choice.precision && entry.vectors === choice.vectors &&
          entry.from === choice.from);
  const calls = [...new Set(of.map(entry => entry.calls))];
  const rows = [...new Set(of.map(entry => entry.rows))];
  const words = entry => {
    if (!entry || !entry.first) return '–';
    return [
      el('span', {class: 'turn'}, stateKey(entry.first)),
      entry.turns.map(
          turn => el(
              'span', {class: 'turn'}, stateKey(turn.to || 'none'), `≥ ${percent(turn.density)}`))
    ];
  };
  put('turns-table',
      table(
          `${choice.precision}, from ${
              choice.from}; ≥ is the density from which a state is the fastest`,
          [
            {title: 'Rows', number: true},
            ...calls.map(n => ({title: n === 1 ? '1 call' : `${n} calls`}))
          ],
          rows.map(
              n =>
                  [String(n),
                   ...calls.map(
                       k => words(of.find(entry => entry.rows === n && entry.calls === k)))])));
}
