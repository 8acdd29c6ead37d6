// What the profile was measured on, and when.
function ageOf(created, now) {
  const days = (Date.parse(now) - Date.parse(created)) / 86400e3;
  if (!Number.isFinite(days) || days < 0) return null;
  if (days < 1) return 'less than a day';
  return days < 2 ? '1 day' : `${Math.floor(days)} days`;
}
const dateOf = text => (text || '').replace('T', ' ').replace(/Z$/, ' UTC');

function showMachine() {
  const {machine} = report;
  const names = [machine.cpu, ...machine.devices.map(device => device.name)];
  const age = ageOf(machine.created, report.made);
  document.title = `Switchyard report: ${names.join(', ')}`;
  put('machine-name', names.join(' + '));
  put('machine-line',
      `${machine.threads} threads, ${
          machine.devices.length === 1 ? 'one device' :
                                         `${machine.devices.length} devices`}; profile ${
          machine.profile || 'without a file'}`);
  const weak = report.models.filter(model => model.weakness).length;
  const fact = (term, value) => el('div', {}, el('dt', {}, term), el('dd', {}, value));
  put('facts', fact('Calibrated', dateOf(machine.created).slice(0, 10) || 'unknown'),
      fact('Age when this was made', age || 'unknown'),
      fact('Calibration took', seconds(machine.calibration_seconds)),
      fact('Models', String(report.models.length)),
      fact('Inaccurate models', el('span', {class: weak ? 'weak' : null}, String(weak))),
      fact('States', String(states.length)));
  const line = (term, value) => [el('dt', {}, term), el('dd', {}, value)];
  put('machine-body',
      el('dl', {class: 'details'}, line('Processor', machine.cpu),
         line('Threads', String(machine.threads)), line('Library', machine.library_version),
         line('Profile', machine.profile || '–'),
         line('Calibrated', machine.calibrated ? dateOf(machine.created) : 'no: built-in figures'),
         line('Age', age ? `${age}, when this page was made` : 'unknown'),
         line('Calibration', seconds(machine.calibration_seconds))),
      machine.devices.length ?
          el('div', {class: 'scroll'},
             table(
                 'Devices', [{title: 'Space'}, {title: 'Name'}, {title: 'Driver'}],
                 machine.devices.map(device => [device.space, device.name, device.driver]))) :
          el('p', {class: 'soft'}, 'There is no OpenCL device.'));
  put('made', `Made by switchyard ${report.switchyard} on ${dateOf(report.made)}.`);
}
