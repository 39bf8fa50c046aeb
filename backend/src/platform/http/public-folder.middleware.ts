import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler, Response } from 'express';
import { static as serveStatic } from 'express';

/** Every path that has a page, with its HTML file. At all other paths, the router in the browser shows a 404 page. */
const htmlFiles: ReadonlyMap<string, string> = new Map([
  // Created by frontend/scripts/prerender.mjs.
  ['/', 'landing.html'],
  ['/auth', 'auth.html'],
  ['/chat', 'chat.html'],
  ['/terms', 'terms.html'],
  ['/privacy', 'privacy.html'],
  ['/rules', 'rules.html'],
  // Pages without an HTML file of their own.
  ['/moderation', 'index.html'],
  ['/receipt', 'index.html'],
]);
/** Paths of the API and of sockets. */
const SERVER_PATHS = /^\/(api|ws)(\/|$)/;

/** A file such as `assets/chat-B4x0aQ_z.js`, whose name contains a hash of its content. */
const HASHED_ASSET = /[\\/]assets[\\/][^\\/]+-[\w-]{8,}\.\w+$/;

const setCaching = (response: Response, path: string): void => {
  // `no-cache` makes browsers revalidate the file.
  const caching = HASHED_ASSET.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
  response.set('Cache-Control', caching);
};

const withoutTrailingSlash = (path: string): string => (path === '/' ? path : path.replace(/\/$/, ''));

/** Serves the built frontend when there is no nginx. */
export const servePublicFolder = (folder: string): RequestHandler => {
  const files = serveStatic(folder, {
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    setHeaders: setCaching,
  });
  /** The application, whose router renders the page of any path, including the 404 page. */
  const fallbackPage = join(folder, 'index.html');

  const sendPage = (response: Response, status: number, file: string) => {
    response.status(status).sendFile(file, { cacheControl: false, headers: { 'Cache-Control': 'no-cache' } });
  };

  return (request, response, next) => {
    if (SERVER_PATHS.test(request.path)) return next();
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    const file = htmlFiles.get(withoutTrailingSlash(request.path));
    if (file !== undefined) {
      const page = join(folder, file);
      // A build without prerendering has index.html alone.
      return sendPage(response, 200, existsSync(page) ? page : fallbackPage);
    }
    files(request, response, (error?: unknown) => {
      if (error) return next(error);
      sendPage(response, 404, fallbackPage);
    });
  };
};
