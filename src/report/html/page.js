'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const NS = 'http://www.w3.org/2000/svg', ROW = 28;
const make = (tag, props, ...kids) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...kids);
  return e;
};
const shape = (tag, attrs, text) => {
  const e = document.createElementNS(NS, tag);
  for (const k in attrs) e.setAttribute(k, attrs[k]);
  if (text !== undefined) e.textContent = text;
  return e;
};

// Numbers as the program prints them: four significant digits.
const digits = v => {
  if (v >= 1e15 || (v > 0 && v < 1e-6)) return String(Number(v.toPrecision(4)));
  if (v >= 1e4) return String(Math.round(v)).replace(/\B(?=(\d{3})+$)/g, ' ');
  return String(Number(v.toPrecision(4)));
};
const si = (v, unit) => {
  if (v === 0) return '0 ' + unit;
  const names = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
  let i = Math.floor(Math.log10(Math.abs(v)) / 3) + 3;
  if (unit !== 's' && i < 3) i = 3;
  i = Math.max(0, Math.min(unit === 's' ? 3 : 9, i));
  let scaled = Number((v / 10 ** ((i - 3) * 3)).toPrecision(4));
  if (scaled >= 1000 && i < (unit === 's' ? 3 : 9)) { scaled /= 1000; ++i; }
  return digits(scaled) + ' ' + names[i] + unit;
};
const percent = v => {
  const p = v * 100;
  if (p > 99 && p < 100) return p.toFixed(2) + ' %';
  return (p >= 9.95 || p === 0 ? p.toFixed(0) : p >= 0.995 ? p.toFixed(1) : String(Number(p.toPrecision(2)))) + ' %';
};
const times = v => (v >= 100 ? digits(Math.round(v)) : v.toFixed(v >= 10 ? 1 : 2)) + 'x';
const FORMS = {t: v => v, n: digits, s: v => si(v, 's'), b: v => si(v, 'B/s'), p: percent, x: times};

let theme = '';
const nextTheme = () => {
  theme = {'': 'dark', dark: 'light', light: ''}[theme];
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
};
const save = (name, type, text) => {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const a = make('a', {href: url, download: name});
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
};
const tip = make('div', {className: 'tip', hidden: true});
document.body.append(tip);

class Part {
  constructor(section, chart, index) {
    this.chart = chart;
    this.index = index;
    this.section = section;
    this.svg = section.querySelector('svg');
    this.rows = chart.rows.map(cells => {
      const row = {};
      chart.fields.forEach(([key, , type], i) => { row[key] = type === 'w' && cells[i] !== null ? chart.words[cells[i]] : cells[i]; });
      return row;
    });
    this.byNumber = new Map(this.rows.map(r => [r.number, r]));
    this.state = {sort: 'number', down: false, text: '', chips: new Set(), cover: 100, hidden: new Set(), picked: new Set()};
    this.columns = chart.fields.filter(f => f[3]).map(([key, title, type]) => ({key, title, type, right: 'nsfbpx'.includes(type) && key !== 'number'}));
    this.marks = new Map();
    for (const g of this.svg.querySelectorAll('.marks g[data-k]')) {
      const title = g.querySelector('title');
      if (title) { g.setAttribute('aria-label', title.textContent); title.remove(); }
      this.marks.set(Number(g.dataset.k), g);
    }
    this.bars = this.svg.querySelector('.bars');
    this.load();
    this.tools();
    this.table();
    this.events();
    this.update();
  }

  format(row, column) {
    const v = row[column.key];
    if (column.key === 'name' && row.point) return v + ', ' + row.point;
    if (column.key === 'achieved' && v === null && row.bandwidth !== null) return FORMS.b(row.bandwidth);
    if (v === null || v === '') return '-';
    if (column.type === 'f') return si(v, row.unit + '/s');
    return (FORMS[column.type] || String)(v);
  }

  // ---- what is shown
  chipTest(row) {
    const groups = {};
    for (const chip of this.state.chips) {
      const at = chip.indexOf(':');
      (groups[chip.slice(0, at)] ||= []).push(chip.slice(at + 1));
    }
    return Object.entries(groups).every(([key, values]) => values.includes(String(row[key])));
  }
  update() {
    const s = this.state, words = s.text.toLowerCase().split(/\s+/).filter(Boolean);
    let seen = 0;
    const shown = [];
    for (const row of this.rows) {  // by time: the first ones cover most
      const covered = s.cover >= 100 || seen < s.cover / 100;
      seen += row.share;
      if (!covered || !this.chipTest(row)) continue;
      const all = (row.name + ' ' + row.full_name + ' ' + row.point).toLowerCase();
      if (words.every(w => all.includes(w))) shown.push(row);
    }
    this.shown = shown;
    const numbers = new Set(shown.map(r => r.number));
    for (const [k, g] of this.marks) g.classList.toggle('gone', !numbers.has(k));
    for (const t of this.svg.querySelectorAll('.labels [data-k]')) t.classList.toggle('gone', !numbers.has(Number(t.dataset.k)));
    for (const card of this.section.querySelectorAll('.runs > div')) card.classList.toggle('gone', !numbers.has(Number(card.dataset.k)));
    this.dim();
    this.order();
    this.drawBars();
    this.store();
  }
  dim() {
    const {picked} = this.state;
    for (const [k, g] of this.marks) g.classList.toggle('dim', picked.size > 0 && !picked.has(k));
    for (const card of this.section.querySelectorAll('.runs > div')) card.classList.toggle('dim', picked.size > 0 && !picked.has(Number(card.dataset.k)));
  }
  order() {
    const {sort, down, picked} = this.state;
    const list = picked.size ? this.shown.filter(r => picked.has(r.number)) : this.shown.slice();
    list.sort((a, b) => {
      const x = a[sort], y = b[sort];
      if (x === y) return a.number - b.number;
      if (x === null || x === '') return 1;  // what is not known comes last, whichever way
      if (y === null || y === '') return -1;
      const c = typeof x === 'string' ? (x < y ? -1 : 1) : x - y;
      return down ? -c : c;
    });
    this.list = list;
    const total = list.reduce((sum, r) => sum + r.share, 0);
    this.count.textContent = list.length === this.rows.length ? `${list.length} kernels` : `${list.length} of ${this.rows.length} kernels, ${percent(total)} of the time`;
    for (const th of this.heads) {
      const mine = th.dataset.key === sort;
      th.setAttribute('aria-sort', mine ? (down ? 'descending' : 'ascending') : 'none');
      th.firstChild.textContent = th.dataset.title + (mine ? (down ? ' \u25BE' : ' \u25B4') : '');
    }
    this.box.scrollTop = 0;
    this.window();
  }

  // ---- the table: only rows near what is in view
  row(r) {
    const tr = make('tr', {tabIndex: -1});
    tr.dataset.k = r.number;
    for (const c of this.columns) {
      if (this.state.hidden.has(c.key)) continue;
      const text = this.format(r, c), td = make('td', {textContent: text});
      td.className = c.right ? 'r' : c.key;
      if (c.key === 'name') td.title = r.full_name || text;
      if (c.key === 'bound') td.prepend(make('i', {className: r.ink}));
      tr.append(td);
    }
    if (this.lit === r.number) tr.className = 'on';
    return tr;
  }
  window(all) {
    const n = this.list.length, height = this.box.clientHeight || 600;
    let from = 0, to = n;
    if (!all && n > 150) {
      from = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 20);
      to = Math.min(n, from + Math.ceil(height / ROW) + 40);
    }
    const space = rows => {
      const td = make('td');
      td.style.height = rows * ROW + 'px';
      td.style.padding = 0;
      return make('tr', {className: 'space'}, td);
    };
    const out = this.list.slice(from, to).map(r => this.row(r));
    if (from) out.unshift(space(from));
    if (to < n) out.push(space(n - to));
    if (!n) out.push(make('tr', {}, make('td', {textContent: 'nothing fits the filter', colSpan: 20})));
    this.body.replaceChildren(...out);
  }
  table() {
    this.heads = [];
    const line = make('tr');
    this.line = line;
    this.body = make('tbody');
    this.box = make('div', {className: 'scroll'}, make('table', {}, make('thead', {}, line), this.body));
    this.box.tabIndex = 0;
    this.section.querySelector('.table').append(this.box);
    this.head();
    let waiting = false;
    this.box.addEventListener('scroll', () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; this.window(); });
    });
  }
  head() {
    this.heads = this.columns.filter(c => !this.state.hidden.has(c.key)).map(c => {
      const button = make('button', {type: 'button', textContent: c.title});
      const th = make('th', {className: c.right ? 'r' : ''}, button);
      th.dataset.key = c.key;
      th.dataset.title = c.title;
      button.addEventListener('click', () => {
        const s = this.state;
        s.down = s.sort === c.key ? !s.down : c.right;
        s.sort = c.key;
        this.order();
        this.store();
      });
      return th;
    });
    this.line.replaceChildren(...this.heads);
  }

  // ---- the bars of what is shown
  drawBars() {
    if (!this.bars) return;
    const {picked} = this.state;
    const list = (picked.size ? this.shown.filter(r => picked.has(r.number)) : this.shown.slice()).sort((a, b) => b.win - a.win || a.number - b.number);
    const [left, top, right, room] = this.bars.dataset.area.split(' ').map(Number), out = [];
    const part = list.slice(0, room), longest = Math.max(1e-300, ...part.map(r => Math.max(r.time || 0, r.floor || 0)));
    part.forEach((r, i) => {
      const y = top + i * 48, ink = r.ink, scale = (right - left - 1) / longest;
      const g = shape('g', {'data-k': r.number, tabindex: 0, role: 'img', 'aria-label': `${r.number} ${r.name}`});
      const wide = v => Math.max(1, v * scale).toFixed(1);
      g.append(shape('text', {x: left, y: y + 11, 'font-weight': 'bold', class: 'f-text'}, r.number));
      let name = this.format(r, {key: 'name', type: 't'});
      if (name.length > 52) name = name.slice(0, 50) + '...';
      g.append(shape('text', {x: left + 10 + 8 * String(r.number).length, y: y + 11, class: 'f-text'}, name));
      if (r.time > r.floor && r.floor !== null) g.append(shape('rect', {x: left, y: y + 16, width: wide(r.time), height: 14, fill: `url(#${this.bars.dataset.hatch}hatch-${ink})`, class: 's-' + ink}));
      if (r.floor === null) g.append(shape('rect', {x: left, y: y + 16, width: wide(r.time || 0), height: 14, fill: 'none', class: 's-' + ink}));
      else g.append(shape('rect', {x: left, y: y + 16, width: wide(r.time === null ? r.floor : Math.min(r.floor, r.time)), height: 14, class: 'f-' + ink}));
      const words = [r.launches > 1 && digits(r.launches) + ' launches', r.time !== null && si(r.time, 's'), r.floor !== null && 'floor ' + si(r.floor, 's'), r.fraction != null && percent(r.fraction) + ' of ceiling', r.status === 'impossible' ? 'faster than it can be' : r.win > 0 && si(r.win, 's') + ' to win'];
      g.append(shape('text', {x: left, y: y + 42, 'font-size': 11, class: 'f-muted'}, words.filter(Boolean).join(', ')));
      out.push(g);
    });
    if (list.length > part.length) out.push(shape('text', {x: left, y: top + part.length * 48 + 11, 'font-size': 11, class: 'f-muted'}, `and ${list.length - part.length} more`));
    this.bars.replaceChildren(...out);
  }

  // ---- tools
  tools() {
    const s = this.state, bar = this.section.querySelector('.tools');
    const q = make('input', {type: 'search', placeholder: 'filter by name  ( / )', value: s.text});
    q.setAttribute('aria-label', 'filter by name');
    q.addEventListener('input', () => { s.text = q.value; this.update(); });
    this.q = q;
    bar.append(q);
    for (const key of ['gate', 'bound', 'status', 'pipe']) {
      const values = [...new Set(this.rows.map(r => r[key]).filter(v => v))];
      if (values.length < 2 || values.length > 8) continue;
      for (const v of values) {
        const id = key + ':' + v, b = make('button', {type: 'button', textContent: (key === 'gate' ? 'gate: ' : '') + String(v).replaceAll('_', ' ')});
        b.setAttribute('aria-pressed', s.chips.has(id));
        b.addEventListener('click', () => {
          s.chips.has(id) ? s.chips.delete(id) : s.chips.add(id);
          b.setAttribute('aria-pressed', s.chips.has(id));
          this.update();
        });
        bar.append(b);
      }
    }
    const range = make('input', {type: 'range', min: 50, max: 100, step: 1, value: s.cover}), text = make('span');
    const say = () => { text.textContent = s.cover >= 100 ? 'all kernels' : `heaviest, covering ${s.cover} %`; };
    range.addEventListener('input', () => { s.cover = Number(range.value); say(); this.update(); });
    range.setAttribute('aria-label', 'share of the time that is shown');
    say();
    bar.append(make('label', {}, range, text));
    const menu = make('div');
    for (const c of this.columns) {
      const check = make('input', {type: 'checkbox', checked: !s.hidden.has(c.key)});
      check.addEventListener('change', () => { check.checked ? s.hidden.delete(c.key) : s.hidden.add(c.key); this.head(); this.order(); this.store(); });
      if (c.key !== 'number' && c.key !== 'name') menu.append(make('label', {}, check, c.title));
    }
    bar.append(make('details', {}, make('summary', {textContent: 'columns'}), menu));
    const act = (text, title, f) => { const b = make('button', {type: 'button', textContent: text, title}); b.addEventListener('click', f); bar.append(b); };
    act('SVG', 'save the picture', () => this.saveSvg());
    act('CSV', 'save the rows that are shown', () => this.saveCsv());
    act('JSON', 'save the rows that are shown', () => this.saveJson());
    act('theme', 'system, dark, light ( t )', nextTheme);
    act('?', 'keys', () => document.getElementById('help').showModal());
    this.count = make('span', {className: 'count'});
    this.count.setAttribute('role', 'status');
    bar.append(this.count);
  }
  saveSvg() {
    // Colours of the theme become attributes, so that the file stands alone.
    const copy = this.svg.cloneNode(true), from = this.svg.querySelectorAll('*'), to = copy.querySelectorAll('*');
    from.forEach((e, i) => {
      const style = getComputedStyle(e);
      if (/(^| )f-/.test(e.getAttribute('class'))) to[i].setAttribute('fill', style.fill);
      if (/(^| )s-/.test(e.getAttribute('class'))) to[i].setAttribute('stroke', style.stroke);
      if (e.classList.contains('dim')) to[i].setAttribute('opacity', '.13');
    });
    copy.setAttribute('viewBox', copy.dataset.whole);
    copy.removeAttribute('width');
    copy.removeAttribute('height');
    copy.querySelectorAll('.gone').forEach(e => e.remove());
    save('roofline.svg', 'image/svg+xml', new XMLSerializer().serializeToString(copy));
  }
  saveCsv() {
    const keys = this.chart.fields.map(f => f[0]);
    const cell = v => {
      if (v === null) return '';
      const text = String(v), formula = typeof v === 'string' && /^[=+\-@\t\r]/.test(text);
      return formula || /[",\r\n]/.test(text) ? '"' + (formula ? "'" : '') + text.replaceAll('"', '""') + '"' : text;
    };
    save('roofline.csv', 'text/csv', [keys.join(',')].concat(this.list.map(r => keys.map(k => cell(r[k])).join(','))).join('\n') + '\n');
  }
  saveJson() { save('roofline.json', 'application/json', JSON.stringify({gpu: this.chart.gpu, kernels: this.list}, null, 1)); }

  // ---- pointing, picking, walking
  light(number, scroll) {
    if (this.lit === number) return;
    for (const e of this.section.querySelectorAll('.on')) e.classList.remove('on');
    this.lit = number;
    if (number === undefined) return;
    for (const e of this.section.querySelectorAll(`[data-k="${number}"]`)) e.classList.add('on');
    if (!scroll) return;
    const i = this.list.findIndex(r => r.number === number);
    if (i < 0) return;
    const y = i * ROW, view = this.box.clientHeight;
    if (y < this.box.scrollTop + ROW || y > this.box.scrollTop + view - 2 * ROW) { this.box.scrollTop = y - view / 2; this.window(); }
  }
  tell(number, x, y) {
    const r = this.byNumber.get(number);
    if (!r) return;
    const list = make('dl'), say = (k, v) => v !== null && v !== undefined && v !== '' && list.append(make('dt', {textContent: k}), make('dd', {textContent: v}));
    const f = (key, form) => r[key] === null || r[key] === undefined ? null : form(r[key]);
    say('bound', r.bound + (r.status ? ', ' + r.status.replaceAll('_', ' ') : ''));
    say('datapath', r.pipe);
    say('limiter', r.limiter);
    say('intensity', f('intensity', v => `${digits(v)} ${r.unit}/B`));
    say('measured', f('measured', v => `${digits(v)} ${r.unit}/B`));
    const rate = v => si(v, r.unit + '/s');
    say('achieved', f('achieved', rate) || f('bandwidth', FORMS.b));
    say('attainable', f('attainable', rate));
    say('of ceiling', f('fraction', percent));
    say('DRAM busy', f('busy', percent));
    say('excess', f('excess', times));
    say('launches', f('launches', digits));
    say('time', f('time', FORMS.s));
    say('floor', f('floor', FORMS.s));
    say('to win', r.win > 0 ? FORMS.s(r.win) : null);
    say('share', f('share', percent));
    say('gate', r.gate);
    say('time limit', f('limit', FORMS.s));
    tip.replaceChildren(make('b', {textContent: `${r.number} ${r.full_name || this.format(r, {key: 'name', type: 't'})}`}), list);
    if (r.advice) tip.append(make('p', {textContent: r.advice}));
    tip.hidden = false;
    const w = tip.offsetWidth, h = tip.offsetHeight;
    tip.style.left = Math.max(4, Math.min(x + 16, innerWidth - w - 8)) + 'px';
    tip.style.top = Math.max(4, y + 16 + h > innerHeight ? y - h - 12 : y + 16) + 'px';
  }
  pick(number, add) {
    const p = this.state.picked, alone = p.size === 1 && p.has(number);
    if (!add) p.clear();
    if (add && p.has(number)) p.delete(number);
    else if (!alone) p.add(number);
    this.dim();
    this.order();
    this.drawBars();
  }
  clear() {
    const s = this.state;
    s.picked.clear();
    tip.hidden = true;
    this.light(undefined);
    this.update();
  }
  walk(step) {
    const marks = this.shown.filter(r => this.marks.has(r.number));
    if (!marks.length) return;
    let i = marks.findIndex(r => r.number === this.lit);
    i = i < 0 ? (step > 0 ? 0 : marks.length - 1) : (i + step + marks.length) % marks.length;
    this.marks.get(marks[i].number).focus();
  }
  events() {
    const of = e => e.target.closest && e.target.closest('[data-k]');
    const s = this.section;
    s.addEventListener('pointerover', e => {
      const t = of(e);
      if (!t) return;
      this.light(Number(t.dataset.k), t.closest('svg'));
      if (t.closest('svg')) this.tell(Number(t.dataset.k), e.clientX, e.clientY);
    });
    s.addEventListener('pointerout', e => { if (of(e)) { tip.hidden = true; this.light(undefined); } });
    s.addEventListener('focusin', e => {
      const t = of(e);
      if (!t || !t.closest('svg')) return;
      const r = t.getBoundingClientRect();
      this.light(Number(t.dataset.k), true);
      this.tell(Number(t.dataset.k), r.right, r.bottom);
    });
    s.addEventListener('focusout', () => { tip.hidden = true; });
    s.addEventListener('click', e => {
      const t = of(e);
      if (t) this.pick(Number(t.dataset.k), e.ctrlKey || e.metaKey);
    });
  }

  // ---- remembered in the address, so that a view can be sent
  store() {
    if (this.index) return;
    const s = this.state, p = new URLSearchParams();
    if (s.sort !== 'number' || s.down) p.set('sort', (s.down ? '-' : '') + s.sort);
    if (s.text) p.set('q', s.text);
    if (s.chips.size) p.set('only', [...s.chips].join('|'));
    if (s.cover < 100) p.set('cover', s.cover);
    if (s.hidden.size) p.set('hide', [...s.hidden].join('|'));
    try { history.replaceState(null, '', '#' + p); } catch { /* a page in a frame without an address */ }
  }
  load() {
    if (this.index) return;
    const p = new URLSearchParams(location.hash.slice(1)), s = this.state, known = new Set(this.columns.map(c => c.key));
    const sort = p.get('sort') || '';
    if (known.has(sort.replace(/^-/, ''))) { s.down = sort.startsWith('-'); s.sort = sort.replace(/^-/, ''); }
    s.text = (p.get('q') || '').slice(0, 200);
    for (const c of (p.get('only') || '').split('|')) if (/^(gate|bound|status|pipe):/.test(c)) s.chips.add(c);
    const cover = Number(p.get('cover'));
    if (cover >= 50 && cover <= 100) s.cover = cover;
    for (const c of (p.get('hide') || '').split('|')) if (known.has(c) && c !== 'name' && c !== 'number') s.hidden.add(c);
  }
}

const parts = [...document.querySelectorAll('section.gpu')].map((section, i) => new Part(section, data[i], i));
addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName);
  const here = parts.find(p => p.section.contains(e.target)) || parts[0];
  if (!here) return;
  if (e.key === 'Escape') { if (typing) e.target.blur(); parts.forEach(p => p.clear()); return; }
  if (typing) return;
  const mark = e.target.closest && e.target.closest('svg [data-k]');
  if (e.key === '/') { e.preventDefault(); here.q.focus(); }
  else if (e.key === 't') nextTheme();
  else if (e.key === '?') document.getElementById('help').showModal();
  else if (e.key === 'Enter' && mark) here.pick(Number(mark.dataset.k), e.shiftKey);
  else if (e.key.startsWith('Arrow') && !e.target.closest('.scroll')) { e.preventDefault(); here.walk(/Right|Down/.test(e.key) ? 1 : -1); }
});
addEventListener('beforeprint', () => parts.forEach(p => p.window(true)));
addEventListener('afterprint', () => parts.forEach(p => p.window()));
document.documentElement.dataset.ready = '1';
})();
