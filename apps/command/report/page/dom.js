// The document's data, and making elements. Text from the data is only ever set as text.
const report = unpacked(JSON.parse(document.getElementById('report-data').textContent));

const byId = id => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}
const el = (tag, attributes, ...children) =>
    fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
    fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
function put(id, ...children) {
  byId(id).replaceChildren();
  fill(byId(id), {}, children);
}

// columns: {title, number} each; rows: lists of cells, or {cells, kind} with a class.
function table(caption, columns, rows) {
  const kind = column => (column.number ? 'number' : column.name ? 'name' : null);
  return el(
      'table', {}, caption ? el('caption', {}, caption) : null,
      el('thead', {},
         el('tr', {},
            columns.map(column => el('th', {scope: 'col', class: kind(column)}, column.title)))),
      el('tbody', {}, rows.map(row => {
        const cells = row.cells || row;
        return el(
            'tr', {class: row.kind},
            cells.map((cell, i) => el('td', {class: kind(columns[i])}, cell)));
      })));
}

// A row of choices, one of which holds; options are [value, label].
function segments(id, options, chosen, changed) {
  put(id, options.map(([value, label]) => {
    const input = el('input', {type: 'radio', name: id, value});
    input.checked = value === chosen;
    input.addEventListener('change', () => changed(value));
    return el('label', {}, input, el('span', {}, label));
  }));
}
