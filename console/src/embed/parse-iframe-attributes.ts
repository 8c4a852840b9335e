const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
};

/** Reads the attributes of the iframe that the service returned: all of them have a value in double quotation marks. */
export function parseIframeAttributes(html: string): Record<string, string> {
  const tag = /^<iframe((?: [a-z-]+="[^"]*")+)>/.exec(html)?.[1] ?? '';
  const attributes = tag.matchAll(/ ([a-z-]+)="([^"]*)"/g);
  return Object.fromEntries(
    [...attributes].map(([, name = '', value = '']) => [name, decodeEntities(value)]),
  );
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#(\d+));/g, (entity, code?: string) =>
    code === undefined ? (ENTITIES[entity] ?? entity) : String.fromCharCode(Number(code)),
  );
}
