import { type ReactNode } from 'react';
import { prerender } from 'react-dom/static';
import { StaticRouter } from 'react-router-dom';
import { App } from '@/app/app';
import { ChatShell } from '@/app/shell/chat-shell';

const render = async (page: ReactNode): Promise<string> => {
  const { prelude } = await prerender(page, {
    // In one piece: what is put in its place later comes by inline scripts, which the Content-Security-Policy forbids.
    progressiveChunkSize: Infinity,
    onError: (error) => {
      throw error;
    },
  });
  return new Response(prelude).text();
};

/** The markup of a page for a visitor of whom nothing is known. Used by scripts/prerender.mjs at the build. */
export const renderPage = (path: string): Promise<string> =>
  render(<App inRouter={(routes) => <StaticRouter location={path}>{routes}</StaticRouter>} />);

/** What /chat shows until its scripts are there. */
export const renderChatShell = (): Promise<string> => render(<ChatShell />);
