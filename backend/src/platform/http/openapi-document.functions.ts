import type { OpenAPIObject } from '@nestjs/swagger';
import { type HttpErrorCode, httpErrorStatus } from '@thaw/contract/error-codes';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type AnyParameter = NonNullable<Operation['parameters']>[number];
type Parameter = Exclude<AnyParameter, { $ref: string }>;
type Response = Exclude<Operation['responses'][string], { $ref: string } | undefined>;

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;
const unsafeMethods: ReadonlySet<string> = new Set(['put', 'post', 'delete', 'patch']);

/** Whether a parameter is described in place, and not by a reference. */
const isInline = (parameter: AnyParameter): parameter is Parameter => !('$ref' in parameter);

/**
 * Documents the range of a numeric parameter. All of them are ids or counts, for which `PathIdPipe` and
 * `OptionalPositiveIntegerPipe` only accept positive safe integers.
 */
const addNumberRange = (parameter: Parameter): void => {
  const { schema } = parameter;
  if (!schema || '$ref' in schema || (schema.type !== 'number' && schema.type !== 'integer')) return;
  parameter.schema = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, ...schema, type: 'integer' };
};

/** Lists the error codes of the shared middleware and pipes, which controllers do not declare. */
const listSharedErrorCodes = (method: string, operation: Operation): HttpErrorCode[] => {
  const codes: HttpErrorCode[] = ['rate_limited', 'unavailable'];
  if (unsafeMethods.has(method)) codes.push('bad_origin', 'too_large', 'unsupported_type');
  if (operation.requestBody) codes.push('validation_failed');
  const hasPathParameter = (operation.parameters ?? []).some(
    (parameter) => isInline(parameter) && parameter.in === 'path',
  );
  // `PathIdPipe` refuses an invalid id with this code.
  if (hasPathParameter) codes.push('not_found');
  return codes;
};

/** Documents an error code. As in `ApiProblems`, the description of a response lists all codes with its status. */
const addErrorCode = (operation: Operation, code: HttpErrorCode): void => {
  const status = String(httpErrorStatus[code]);
  const existing = operation.responses[status] as Response | undefined;
  const codes = new Set<string>(existing?.description.split(', '));
  codes.add(code);
  operation.responses[status] = {
    content: { 'application/json': { schema: { $ref: '#/components/schemas/HttpErrorDto' } } },
    ...existing,
    description: [...codes].join(', '),
  };
};

/** Documents the header `Retry-After` of the response 429, which `addErrorCode` has added for `rate_limited`. */
const addRetryAfter = (operation: Operation): void => {
  const rateLimited = operation.responses[String(httpErrorStatus.rate_limited)] as Response;
  rateLimited.headers = {
    'Retry-After': {
      description: 'Seconds after which the same request may succeed',
      schema: { type: 'integer', minimum: 1 },
    },
  };
};

/**
 * Adds to a generated document what all routes share: the range of numbers, shared error codes, and `Retry-After`.
 * @returns the same document, changed.
 */
export const completeDocument = (document: OpenAPIObject): OpenAPIObject => {
  for (const path of Object.values(document.paths)) {
    for (const method of methods) {
      const operation = path[method];
      if (!operation) continue;
      for (const parameter of operation.parameters ?? []) if (isInline(parameter)) addNumberRange(parameter);
      for (const code of listSharedErrorCodes(method, operation)) addErrorCode(operation, code);
      addRetryAfter(operation);
    }
  }
  return document;
};
