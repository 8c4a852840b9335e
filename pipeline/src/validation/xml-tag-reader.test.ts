import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readXmlTags } from './xml-tag-reader.ts';

const listTags = (text: string) =>
  [...readXmlTags(text)].map(
    ({ name, isEndTag, isSelfClosing }) =>
      `${isEndTag ? '/' : ''}${name}${isSelfClosing ? '/' : ''}`,
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
      assert.deepEqual(listTags(text), tags);
    });
  }

  it('resolves entities, and none of the own', () => {
    const [tag] = readXmlTags('<a n="&lt;&#65;&#x42;&amp;lt;&lol;&constructor;&#9999999;"/>');
    assert.equal(tag?.getAttribute('n'), '<AB&lt;&lol;&constructor;\uFFFD');
  });

  it('reads attributes by their names without prefix, and none that are not there', () => {
    const [tag] = readXmlTags('<a p:path="/x" toString="1"/>');
    assert.deepEqual(
      [tag?.getAttribute('path'), tag?.getAttribute('toString'), tag?.getAttribute('valueOf')],
      ['/x', '1', undefined],
    );
  });
});
