import { receiptContentSchema, type ReceiptContent, type ReceiptKey } from '@thaw/contract/my-data';

/**
 * The result of the check of a signature. `altered`: the text is not a receipt with a valid signature. `unknownKey`: it
 * names a key that is not one of the server's.
 */
export type Verdict = 'genuine' | 'altered' | 'unknownKey';

const algorithm = { name: 'Ed25519' } as const;
/** An example key (RFC 8037, appendix A.2), because `canVerify` runs before the server's keys are fetched. */
const sampleKey = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const;

const importKey = ({ kty, crv, x }: Pick<ReceiptKey, 'kty' | 'crv' | 'x'>): Promise<CryptoKey> =>
  crypto.subtle.importKey('jwk', { kty, crv, x }, algorithm, false, ['verify']);

/** Whether this browser can verify Ed25519 signatures. Pages without HTTPS have no `crypto.subtle` at all. */
export const canVerify = async (): Promise<boolean> => {
  try {
    await importKey(sampleKey);
    return true;
  } catch {
    return false;
  }
};

const decodeBase64Url = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  );

const parsePart = (part: string): unknown => JSON.parse(new TextDecoder().decode(decodeBase64Url(part)));

/**
 * Reads the content of a receipt without verifying the signature.
 * @returns null if `jws` is not a receipt
 */
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
 * Verifies a receipt, a JWS in compact serialisation. The algorithm is fixed: a receipt whose header names another one,
 * such as `none`, is `altered`.
 * @throws the error of WebCrypto, e.g. in a browser without Ed25519
 */
export const verifyReceipt = async (jws: string, keys: readonly ReceiptKey[]): Promise<Verdict> => {
  const [header = '', content = '', signature = '', ...furtherParts] = jws.split('.');
  let parsedHeader: Header | null;
  let signatureBytes: Uint8Array<ArrayBuffer>;
  try {
    parsedHeader = parsePart(header) as Header | null;
    signatureBytes = decodeBase64Url(signature);
  } catch {
    return 'altered';
  }
  if (furtherParts.length > 0 || parsedHeader?.alg !== 'EdDSA' || parsedHeader.typ !== 'thaw-receipt')
    return 'altered';
  const key = keys.find(({ kid }) => kid === parsedHeader.kid);
  if (!key) return 'unknownKey';
  const signedBytes = new TextEncoder().encode(`${header}.${content}`);
  const isValid = await crypto.subtle.verify(algorithm, await importKey(key), signatureBytes, signedBytes);
  return isValid ? 'genuine' : 'altered';
};
