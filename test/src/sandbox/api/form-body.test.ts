// How a form becomes the body that JSON would have been.
import { expect, it } from 'vitest';
import { readForm } from '#src/sandbox/api/form-body.ts';

it.each([
  ['a=1&b=&c=x%20y+z', { a: '1', b: '', c: 'x y z' }],
  ['a=1&a=2', { a: '2' }],
  ['events[]=a&events[]=b', { events: ['a', 'b'] }],
  ['invitee[email]=a&invitee[name]=b', { invitee: { email: 'a', name: 'b' } }],
  ['a[b][c]=1&a[b][d][]=2', { a: { b: { c: '1', d: ['2'] } } }],
  ['l[][q]=1&l[][a]=2&l[][q]=3', { l: [{ q: '1', a: '2' }, { q: '3' }] }],
  ['l[][q][]=1&l[][q][]=2', { l: [{ q: ['1'] }, { q: ['2'] }] }],
  ['a=1&a[b]=2', { a: { b: '2' } }],
  ['a[=1&b]=2&[]=3', { 'a[': '1', 'b]': '2', '[]': '3' }],
  ['constructor[x]=1&l[][constructor]=2', { constructor: { x: '1' }, l: [{ constructor: '2' }] }],
  ['', {}],
])('the form %j is the object that its brackets describe', (form, body) => {
  expect(readForm(form)).toEqual(body);
});

it('no name reaches the prototype of an object', () => {
  const body = readForm('__proto__[polluted]=1&a[__proto__][polluted]=2&b[][__proto__]=3');
  expect([body, Object.hasOwn(body, '__proto__')]).toEqual([{}, false]);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

it('ends: what is nested too deeply, or comes too often, is cut', () => {
  expect(JSON.stringify(readForm(`a${'[b]'.repeat(50)}=1`))).toBe(`{"a":${'{"b":'.repeat(7)}"1"${'}'.repeat(8)}`);
  const many = Array.from({ length: 10_001 }, (_, index) => `l[]=${index}`).join('&');
  expect(readForm(many)).toMatchObject({ l: { length: 10_000 } });
});
