// Controls, and the first drawing.
function horizonAt(position) {
  const calls = 10 ** position;
  const digit = 10 ** Math.max(Math.floor(Math.log10(calls)) - 1, 0);
  return Math.max(1, Math.round(calls / digit) * digit);
}

function horizonChanged() {
  choice.calls = horizonAt(+byId('horizon').value);
  const words = choice.calls === 1 ? '1 call' : `${choice.calls} calls`;
  put('horizon-value', words);
  byId('horizon').setAttribute('aria-valuetext', words);
  updateMap();
}

function showControls() {
  put('from', starts.map(state => el('option', {value: state}, state)));
  byId('from').value = choice.from;
  const change = name => value => {
    choice[name] = value;
    updateMap();
    showTurns();
  };
  byId('from').addEventListener('change', event => change('from')(event.target.value));
  segments(
      'map-precision', [['float', 'float'], ['double', 'double']], choice.precision,
      change('precision'));
  segments(
      'map-vectors', [['travel', 'on the host'], ['stay', 'stay where it computes']],
      choice.vectors, change('vectors'));
  byId('horizon').addEventListener('input', horizonChanged);
}

// Boxes that scroll sideways say so: what is cut off would not be missed otherwise.
function markScrolling() {
  for (const box of document.querySelectorAll('.scroll'))
    box.classList.toggle('more', box.scrollWidth > box.clientWidth + 1);
}

function drawAll() {
  drawMap();
  horizonChanged();
  showTurns();
  showModelCards();
  showDecisions();
}

showMachine();
showControls();
showModels();
drawAll();
markScrolling();
new MutationObserver(markScrolling)
    .observe(document.querySelector('main'), {childList: true, subtree: true});
window.addEventListener('resize', markScrolling);
// Between a wide and a narrow screen, plots change their proportions.
window.matchMedia('(max-width: 480px)').addEventListener('change', drawAll);
document.documentElement.dataset.ready = 'yes';
