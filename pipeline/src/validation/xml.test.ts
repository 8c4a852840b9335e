import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VALIDATION_LIMITS, type ValidationLimits } from './limits.ts';
import { readXmlTags, visitXmlTags, type XmlTag } from './xml.ts';

const listTags = (text: string) =>
  [...readXmlTags(text)].map(
    ({ localName, isEndTag, isSelfClosing }) =>
      `${isEndTag ? '/' : ''}${localName}${isSelfClosing ? '/' : ''}`,
  );

async function visit(
  blocks: (string | Buffer)[],
  limits: ValidationLimits = VALIDATION_LIMITS,
): Promise<XmlTag[]> {
  const tags: XmlTag[] = [];
  async function* toBlocks() {
    for (const block of blocks) yield Buffer.from(block as string);
  }
  await visitXmlTags(toBlocks(), limits, { open: (tag) => tags.push(tag) });
  return tags;
}

describe('readXmlTags', () => {
  const rows: [reason: string, text: string, tags: string[]][] = [
    ['names without their prefix', '<m:a><b/></m:a>', ['a', 'b/', '/a']],
    ['no tags in comments', '<a><!-- <b> --></a>', ['a', '/a']],
    ['no tags in CDATA', '<a><![CDATA[<b>]]></a>', ['a', '/a']],
    ['no processing instructions', '<?xml?><a/>', ['a/']],
    ['tags with a bracket in quotation marks', '<a b="x>y" c=\'>\'><d/></a>', ['a', 'd/', '/a']],
    ['no tag that does not end', '<a><b c="', ['a']],
    ['nothing after a comment that does not end', '<a><!-- <b>', ['a']],
  ];
  for (const [reason, text, tags] of rows) {
    it(`returns ${reason}`, () => {
      assert.deepEqual(listTags(text), tags);
    });
  }

  it('refuses declarations of types and entities', () => {
    assert.throws(() => listTags('<!DOCTYPE a><a/>'), {
      code: 'design.unreadable',
      reason: 'doctype',
    });
  });
});

describe('an attribute', () => {
  const rows: [reason: string, tag: string, value: string | undefined][] = [
    ['is found by its name', '<a id="1"/>', '1'],
    ['may have apostrophes and spaces', "<a\n  id =  '1'>", '1'],
    ['is found by its name without the prefix', '<a p:id="1"/>', '1'],
    ['without a prefix is preferred', '<a p:id="1" id="2"/>', '2'],
    ['is the first of two with that name', '<a id="1" id="2"/>', '1'],
    ['is not found in the value of another', '<a b=\' id="1"\' c=" id=\'1\'"/>', undefined],
    ['is not found at the end of another name', '<a xid="1"/>', undefined],
    ['needs a value', '<a id b="1" id=1 id = /id="2"/>', '2'],
    ['may be empty', '<a id=""/>', ''],
    ['has its entities decoded', '<a id="&lt;&#65;&#x42;&amp;lt;"/>', '<AB&lt;'],
    [
      'keeps entities that are not predefined',
      '<a id="&lol;&constructor;&#9999999;"/>',
      '&lol;&constructor;\uFFFD',
    ],
    ['has spaces for line breaks and tabs', '<a id="b\r\nc\td&#10;e"/>', 'b c d\ne'],
    ['named like a method of every object is not found', '<a toString="1"/>', undefined],
  ];
  for (const [reason, text, value] of rows) {
    it(reason, () => {
      const [tag] = readXmlTags(text);
      assert.equal(tag?.getAttribute('id'), value);
    });
  }
});

describe('visitXmlTags', () => {
  const text = '<?xml version="1.0"?><a><!-- <x> -- ><b --><ä:b id="é"/><![CDATA[]<c>]]></a>';

  it('finds the same tags, however the file is divided into blocks', async () => {
    const bytes = Buffer.from(text);
    for (let length = 1; length < bytes.length; length++) {
      const blocks = [];
      for (let offset = 0; offset < bytes.length; offset += length)
        blocks.push(bytes.subarray(offset, offset + length));
      const tags = await visit(blocks);
      assert.deepEqual(
        tags.map((tag) => [tag.name, tag.getAttribute('id')]),
        [
          ['a', undefined],
          ['ä:b', 'é'],
        ],
      );
    }
  });

  it('decodes Latin-1 if the file declares it', async () => {
    const latin1 = Buffer.from('<?xml encoding="ISO-8859-1"?><a id="\xe9"/>', 'latin1');
    assert.equal((await visit([latin1]))[0]?.getAttribute('id'), 'é');
  });

  const invalid: [reason: string, text: string, problemReason: string][] = [
    ['an end tag of another element', '<a><b></a></b>', 'xml'],
    ['an end tag without a start tag', '<a/></a>', 'xml'],
    ['an element that does not end', '<a><b/>', 'truncated'],
    ['a tag that does not end', '<a/><b', 'truncated'],
    ['a comment that does not end', '<a/><!-- ', 'truncated'],
    ['a document type', '<!DOCTYPE a><a/>', 'doctype'],
    ['a text without tags', 'a', 'empty'],
    ['UTF-16', '<\0a\0/\0>\0', 'encoding'],
  ];
  for (const [reason, xml, problemReason] of invalid) {
    it(`refuses ${reason}`, async () => {
      await assert.rejects(visit([xml]), { code: 'design.unreadable', reason: problemReason });
    });
  }

  it('refuses more than the limits allow', async () => {
    const limits = { ...VALIDATION_LIMITS, tagBytes: 10, xmlDepth: 2, xmlElements: 3 };
    const refused = { code: 'design.too-complex' };
    await assert.rejects(visit(['<a bcdefghij/>'], limits), { ...refused, reason: 'tag-bytes' });
    await assert.rejects(visit(['<a bcdefghij'], limits), { ...refused, reason: 'tag-bytes' });
    await assert.rejects(visit(['<a><a><a>'], limits), { ...refused, reason: 'xml-depth' });
    await assert.rejects(visit(['<a/><a/><a/><a/>'], limits), {
      ...refused,
      reason: 'xml-elements',
    });
  });
});
