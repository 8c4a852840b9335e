import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/**
 * Signs texts with HMAC-SHA-256: `<payload>.<signature>`. Each purpose has its own key, derived from the
 * key of the service, so a text that was signed for one purpose is not valid for another.
 */
export class Signer {
  readonly #key: KeyObject;

  /** @param key at least 32 random bytes, stored for longer than a signed text is valid */
  constructor(key: Buffer, purpose: string) {
    this.#key = createSecretKey(createHmac('sha256', key).update(purpose).digest());
  }

  /** Returns the payload with its signature. */
  sign(payload: string): string {
    return `${payload}.${this.#hmac(payload)}`;
  }

  /** Returns the payload of a signed text, or undefined if the signature is not valid. */
  verify(text: string): string | undefined {
    const separator = text.lastIndexOf('.');
    const payload = text.slice(0, Math.max(0, separator));
    // Compared as text: several base64url texts decode to the same bytes.
    const signature = Buffer.from(text.slice(separator + 1));
    const expected = Buffer.from(this.#hmac(payload));
    const valid = signature.length === expected.length && timingSafeEqual(signature, expected);
    return valid ? payload : undefined;
  }

  #hmac(payload: string): string {
    return createHmac('sha256', this.#key).update(payload).digest('base64url');
  }
}
