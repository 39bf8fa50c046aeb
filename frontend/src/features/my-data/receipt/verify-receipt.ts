import { receiptContentSchema, type ReceiptContent, type ReceiptKey } from '@thaw/contract/my-data';

/**
 * The result of the check of a signature. `altered`: the text is not a receipt with a valid signature. `unknownKey`:
 * the receipt names a key that is not one of the server's.
 */
export type Verdict = 'genuine' | 'altered' | 'unknownKey';

const algorithm = { name: 'Ed25519' } as const;
/** An example key (RFC 8037, appendix A.2) for `canVerify`, which runs before the server's keys are fetched. */
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

interface SignedReceipt {
  /** The `kid` of the header. */
  keyId: unknown;
  /** The header and the content, as they were signed. */
  signedText: string;
  signature: Uint8Array<ArrayBuffer>;
}

/**
 * Splits a receipt into the parts that its verification needs. The algorithm is fixed: a header that names another one,
 * such as `none`, is not that of a receipt.
 * @returns null if `jws` is not a receipt
 */
const parseSignedReceipt = (jws: string): SignedReceipt | null => {
  const [header = '', content = '', signature = '', ...furtherParts] = jws.split('.');
  if (furtherParts.length > 0) return null;
  try {
    const parsedHeader = parsePart(header) as Header | null;
    if (parsedHeader?.alg !== 'EdDSA' || parsedHeader.typ !== 'thaw-receipt') return null;
    const signedText = `${header}.${content}`;
    return { keyId: parsedHeader.kid, signedText, signature: decodeBase64Url(signature) };
  } catch {
    return null;
  }
};

/**
 * Verifies a receipt, a JWS in compact serialisation.
 * @throws the error of WebCrypto, e.g. in a browser without Ed25519
 */
export const verifyReceipt = async (jws: string, keys: readonly ReceiptKey[]): Promise<Verdict> => {
  const receipt = parseSignedReceipt(jws);
  if (!receipt) return 'altered';
  const key = keys.find(({ kid }) => kid === receipt.keyId);
  if (!key) return 'unknownKey';
  const signedBytes = new TextEncoder().encode(receipt.signedText);
  const isValid = await crypto.subtle.verify(algorithm, await importKey(key), receipt.signature, signedBytes);
  return isValid ? 'genuine' : 'altered';
};
