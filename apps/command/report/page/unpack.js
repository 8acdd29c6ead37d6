// The document from its packed form: packed_json.hpp says what that is.
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const lowestExponent = -16, mantissas = 9000;

function numbersOf(text) {
  const list = [];
  for (let i = 0; i < text.length; i += 3) {
    const code = [0, 1, 2].reduce((sum, k) => 64 * sum + digits.indexOf(text[i + k]), 0);
    if (code < 2) {
      list.push(code === 0 ? null : 0);
      continue;
    }
    const mantissa = 1000 + (code - 2) % mantissas;
    const exponent = lowestExponent + Math.floor((code - 2) / mantissas);
    list.push(Number(`${mantissa}e${exponent}`));
  }
  return list;
}

function unpacked(packed) {
  const lists = packed['#shared'].map(numbersOf);
  const unpack = json => {
    if (json === null || typeof json !== 'object') return json;
    if (Array.isArray(json)) return json.map(unpack);
    if ('#' in json) return lists[json['#']];
    if ('#names' in json) return unpack(json['#at']).map(k => json['#names'][k]);
    if ('#columns' in json) {
      const columns = json['#columns'].map(unpack);
      return columns[0].map((_, row) => {
        const cells = columns.map(column => column[row]);
        return json['#keys'] ?
            Object.fromEntries(cells.map((cell, k) => [json['#keys'][k], cell])) :
            cells;
      });
    }
    return Object.fromEntries(Object.entries(json)
                                  .filter(([key]) => key !== '#shared')
                                  .map(([key, value]) => [key, unpack(value)]));
  };
  return unpack(packed);
}
