import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler, Response } from 'express';
import { static as serveStatic } from 'express';

/** The HTML files of the known paths. At all other paths, the router in the browser shows its own 404 page. */
const htmlFiles: ReadonlyMap<string, string> = new Map([
  ['/', 'landing.html'],
  ['/auth', 'auth.html'],
  ['/chat', 'chat.html'],
  ['/terms', 'terms.html'],
  ['/privacy', 'privacy.html'],
  ['/rules', 'rules.html'],
  // The pages for moderators and for receipts have no HTML files of their own.
  ['/moderation', 'index.html'],
  ['/receipt', 'index.html'],
]);
/** Paths of the API and of sockets. */
const SERVER_PATHS = /^\/(api|ws)(\/|$)/;

const setCaching = (response: Response, path: string): void => {
  // The name of an asset contains a hash of its content. Browsers revalidate all other files.
  const isHashed = /[\\/]assets[\\/][^\\/]+-[\w-]{8,}\.\w+$/.test(path);
  response.set('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
};

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
    const path = request.path.length > 1 ? request.path.replace(/\/$/, '') : request.path;
    const file = htmlFiles.get(path);
    if (file !== undefined) {
      const page = join(folder, file);
      // Only frontend/scripts/prerender.mjs creates the other HTML files. A build without it has index.html alone.
      return sendPage(response, 200, existsSync(page) ? page : fallbackPage);
    }
    files(request, response, (error?: unknown) => {
      if (error) return next(error);
      sendPage(response, 404, fallbackPage);
    });
  };
};
