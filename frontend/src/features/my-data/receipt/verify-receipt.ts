import { receiptContentSchema, type ReceiptContent, type ReceiptKey } from '@thaw/contract/my-data';

/** What the check of a signature says about a receipt. */
export type Verdict = 'genuine' | 'altered' | 'unknownKey';

const algorithm = { name: 'Ed25519' } as const;
/** An arbitrary valid public key (RFC 8037, appendix A.2), to find out whether the browser can import one. */
const sampleKey = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const;

const importKey = ({ kty, crv, x }: Pick<ReceiptKey, 'kty' | 'crv' | 'x'>): Promise<CryptoKey> =>
  crypto.subtle.importKey('jwk', { kty, crv, x }, algorithm, false, ['verify']);

/** Whether this browser can verify Ed25519 signatures. Pages without https have no WebCrypto at all. */
export const canVerify = async (): Promise<boolean> => {
  try {
    await importKey(sampleKey);
    return true;
  } catch {
    return false;
  }
};

const toBytes = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );

const parsePart = (part: string): unknown => JSON.parse(new TextDecoder().decode(toBytes(part)));

/** Reads the content of a receipt, without verifying it. @returns null if it is no receipt. */
export const readContent = (jws: string): ReceiptContent | null => {
  try {
    return receiptContentSchema.parse(parsePart(jws.split('.')[1] ?? ''));
  } catch {
    return null;
  }
};

interface Header {
  alg?: unknown;
  kid?: unknown;
  typ?: unknown;
}

/**
 * Verifies a JWS in compact serialisation. Only the algorithm of receipts is accepted, whatever the header says.
 * @throws if the browser lacks Ed25519
 */
export const verifyReceipt = async (jws: string, keys: readonly ReceiptKey[]): Promise<Verdict> => {
  const [header = '', content = '', signature = '', ...more] = jws.split('.');
  let parsed: Header | null;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    parsed = parsePart(header) as Header | null;
    bytes = toBytes(signature);
  } catch {
    return 'altered';
  }
  if (more.length > 0 || parsed?.alg !== 'EdDSA' || parsed.typ !== 'thaw-receipt') return 'altered';
  const key = keys.find(({ kid }) => kid === parsed.kid);
  if (!key) return 'unknownKey';
  const signed = new TextEncoder().encode(`${header}.${content}`);
  const isValid = await crypto.subtle.verify(algorithm, await importKey(key), bytes, signed);
  return isValid ? 'genuine' : 'altered';
};
