import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ReceiptContent, ReceiptKey } from '@thaw/contract/my-data';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';

/**
 * Signs the receipts of erasures, as JWS in compact serialisation with Ed25519 (RFC 7515, RFC 8037). Without
 * RECEIPT_KEY, both keys are null.
 */
@Injectable()
export class ReceiptSignerService {
  private readonly privateKey: KeyObject | null;
  readonly publicKey: ReceiptKey | null;

  /** @throws Error for a RECEIPT_KEY that is no Ed25519 key. */
  constructor(@Inject(ENVIRONMENT) { RECEIPT_KEY: pem }: Pick<Environment, 'RECEIPT_KEY'>) {
    this.privateKey = pem ? parsePrivateKey(pem) : null;
    this.publicKey = this.privateKey && derivePublicKey(this.privateKey);
  }

  /** @throws Error without RECEIPT_KEY. */
  sign(content: ReceiptContent): string {
    if (!this.privateKey || !this.publicKey) throw new Error('RECEIPT_KEY is missing');
    const header = { alg: 'EdDSA', kid: this.publicKey.kid, typ: 'thaw-receipt' };
    const signingInput = `${toBase64Url(header)}.${toBase64Url(content)}`;
    // Ed25519 takes no digest algorithm.
    return `${signingInput}.${sign(null, Buffer.from(signingInput), this.privateKey).toString('base64url')}`;
  }
}

/** Reads the content of a receipt that this service has stored, without verifying its signature. */
export const readReceipt = (jws: string): ReceiptContent =>
  JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as ReceiptContent;

const toBase64Url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const parsePrivateKey = (pem: string): KeyObject => {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The error is dropped, because its message could quote the key.
  }
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new Error('RECEIPT_KEY (or RECEIPT_KEY_FILE) must hold an Ed25519 key in PKCS#8, as PEM');
  return key;
};

const derivePublicKey = (privateKey: KeyObject): ReceiptKey => {
  // `x` is the public key. It is never absent; the default is only for the compiler.
  const { x = '' }: JsonWebKey = createPublicKey(privateKey).export({ format: 'jwk' });
  // The thumbprint of the key: the hash of its members in alphabetical order (RFC 7638).
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
};
