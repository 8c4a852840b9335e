/**
 * Says whether an `Accept` header allows a media type (RFC 9110 §12.5.1): the most specific range that
 * includes it decides, unless its quality is 0. Parameters other than `q` are ignored, so
 * `application/json;charset=utf-8` allows `application/json`.
 *
 * The time is proportional to the length of the header: it is read before the token is checked.
 */
export function acceptsMediaType(accept: string, mediaType: string): boolean {
  const wildcard = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`;
  let accepted = false;
  let specificity = 0;
  for (const item of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = item.split(';');
    const itemSpecificity = toSpecificity(range.trim(), mediaType, wildcard);
    if (itemSpecificity <= specificity) continue;
    specificity = itemSpecificity;
    accepted = !parameters.some(isZeroQuality);
  }
  return accepted;
}

/** 0 if the range does not include the media type. Java writes a lone asterisk for any type. */
function toSpecificity(range: string, mediaType: string, wildcard: string): number {
  if (range === mediaType) return 3;
  if (range === wildcard) return 2;
  return range === '*/*' || range === '*' ? 1 : 0;
}

function isZeroQuality(parameter: string): boolean {
  return /^q=0(?:\.0{0,3})?$/.test(parameter.trim());
}
