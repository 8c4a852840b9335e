import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTags } from './xml.ts';

const read = (text: string) =>
  [...readTags(text)].map(
    ({ name, closes, empty }) => `${closes ? '/' : ''}${name}${empty ? '/' : ''}`,
  );

describe('readTags', () => {
  const TEXTS: [why: string, text: string, tags: string[]][] = [
    ['names without their prefix', '<m:a><b/></m:a>', ['a', 'b/', '/a']],
    ['no comments', '<a><!-- <b> --></a>', ['a', '/a']],
    ['no CDATA', '<a><![CDATA[<b>]]></a>', ['a', '/a']],
    ['no document type', '<?xml?><!DOCTYPE a><a/>', ['a/']],
    ['a bracket within quotes', '<a b="x>y" c=\'>\'><d/></a>', ['a', 'd/', '/a']],
    ['what does not end', '<a><b c="', ['a', 'b']],
    ['a comment that does not end', '<a><!-- <b>', ['a']],
  ];
  for (const [why, text, tags] of TEXTS) {
    it(`gives ${why}`, () => {
      assert.deepEqual(read(text), tags);
    });
  }

  it('resolves entities, and none of the own', () => {
    const [tag] = readTags('<a n="&lt;&#65;&#x42;&amp;lt;&lol;&constructor;&#9999999;"/>');
    assert.equal(tag?.get('n'), '<AB&lt;&lol;&constructor;\uFFFD');
  });

  it('reads attributes by their names without prefix, and none that are not there', () => {
    const [tag] = readTags('<a p:path="/x" toString="1"/>');
    assert.deepEqual(
      [tag?.get('path'), tag?.get('toString'), tag?.get('valueOf')],
      ['/x', '1', undefined],
    );
  });
});
