import { type ReactNode } from 'react';
import { prerender } from 'react-dom/static';
import { StaticRouter } from 'react-router-dom';
import { App } from '@/app/app';
import { ChatShell } from '@/app/shell/chat-shell';

const render = async (page: ReactNode): Promise<string> => {
  const { prelude } = await prerender(page, {
    // Render in one chunk: later chunks are inserted by inline scripts, which the Content-Security-Policy forbids.
    progressiveChunkSize: Infinity,
    onError: (error) => {
      throw error;
    },
  });
  return new Response(prelude).text();
};

/** Returns the markup of a page, the same for every visitor. Called by scripts/prerender.mjs at build time. */
export const renderPage = (path: string): Promise<string> =>
  render(<App wrapInRouter={(routes) => <StaticRouter location={path}>{routes}</StaticRouter>} />);

/** The content of /chat until its scripts are loaded. */
export const renderChatShell = (): Promise<string> => render(<ChatShell />);
