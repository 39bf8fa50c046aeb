import { ApiError, request } from '@/lib/api-client';
import { createQueryClient, createQueryFunction } from '@/lib/query-client';

const respondWith = (status: number, body: string, statusText = ''): void => {
  globalThis.fetch = jest.fn(() =>
    Promise.resolve(new Response(body === '' ? null : body, { status, statusText })),
  );
};
const getLastCall = (): [string, RequestInit] =>
  (globalThis.fetch as jest.Mock).mock.calls.at(-1) as [string, RequestInit];

describe('request', () => {
  it('sends the cookie, and a body as JSON with its content type', async () => {
    respondWith(200, '{"ok":true}');
    await expect(request('POST', '/api/login', { email: 'a@b.cd' })).resolves.toEqual({ ok: true });
    expect(getLastCall()).toEqual([
      '/api/login',
      {
        method: 'POST',
        credentials: 'include',
        headers: { 'Content-Type': 'application/json' },
        body: '{"email":"a@b.cd"}',
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  it('sends no content type without a body, and returns undefined for an empty response', async () => {
    respondWith(204, '');
    await expect(request('POST', '/api/logout')).resolves.toBeUndefined();
    expect(getLastCall()[1]).toEqual({
      method: 'POST',
      credentials: 'include',
      signal: expect.any(AbortSignal),
    });
  });

  it('aborts when there is no response within 15 s', async () => {
    // The signal of the timeout is already aborted, so that the test need not wait.
    const timeoutSpy = jest
      .spyOn(AbortSignal, 'timeout')
      .mockReturnValue(AbortSignal.abort(new Error('too late')));
    globalThis.fetch = jest.fn((_, init) => Promise.reject((init as RequestInit).signal?.reason as Error));
    await expect(request('GET', '/api/user/7')).rejects.toThrow('too late');
    expect(timeoutSpy).toHaveBeenCalledWith(15_000);
    timeoutSpy.mockRestore();
  });

  it('throws an error whose message is exactly "<status>: <body>"', async () => {
    respondWith(401, '{"statusCode":401,"code":"invalid_credentials","message":"No."}');
    const error = await request('POST', '/api/login', {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      message: '401: {"statusCode":401,"code":"invalid_credentials","message":"No."}',
      status: 401,
      serverMessage: 'No.',
    });
  });

  it('throws an error with the status text when the body is empty', async () => {
    respondWith(404, '', 'Not Found');
    await expect(request('GET', '/x')).rejects.toThrow(/^404: Not Found$/);
  });

  it('throws an error with the standard phrase of the status when body and status text are empty', async () => {
    respondWith(503, '');
    await expect(request('GET', '/x')).rejects.toThrow(/^503: Service Unavailable$/);
  });

  it('throws an error without serverMessage when the body is not a JSON error', async () => {
    for (const body of ['<html>', 'null', '{"message":5}']) {
      respondWith(502, body);
      await expect(request('GET', '/x')).rejects.toMatchObject({ serverMessage: undefined });
    }
  });
});

describe('the query client', () => {
  const context = { queryKey: ['/api/friends/7', 'x'] } as never;

  it('requests the URL that is the first element of the query key', async () => {
    respondWith(200, '[]');
    await expect(createQueryFunction({ on401: 'throw' })(context)).resolves.toEqual([]);
    expect(getLastCall()[0]).toBe('/api/friends/7');
  });

  it("throws on a 401 with on401: 'throw'", async () => {
    respondWith(401, 'no');
    await expect(createQueryFunction({ on401: 'throw' })(context)).rejects.toThrow('401: no');
  });

  it("returns null on a 401 with on401: 'returnNull'", async () => {
    respondWith(401, 'no');
    await expect(createQueryFunction({ on401: 'returnNull' })(context)).resolves.toBeNull();
  });

  it("throws on any other error with on401: 'returnNull'", async () => {
    respondWith(403, 'no');
    await expect(createQueryFunction({ on401: 'returnNull' })(context)).rejects.toThrow('403: no');
  });

  it('treats data as always fresh, and does not retry, poll or refetch on focus', () => {
    const { queries, mutations } = createQueryClient().getDefaultOptions();
    expect(queries).toMatchObject({
      staleTime: Infinity,
      retry: false,
      refetchInterval: false,
      refetchOnWindowFocus: false,
    });
    expect(mutations).toMatchObject({ retry: false });
  });
});
