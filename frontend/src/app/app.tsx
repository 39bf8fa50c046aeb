import { StrictMode, type ReactElement, type ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { useLocation } from 'react-router-dom';
import { Broken } from '@/app/broken';
import { routeParts } from '@/app/route-parts';
import { ChatShell } from '@/app/shell/chat-shell';
import { Toasts } from '@/app/toasts';
import { reportRenderError } from '@/lib/report-error';
import { LoadedPart, type Part } from '@/ui/loaded-part';

/** Loads the code of a page (its `part`) and renders it. After a failure, every navigation tries again. */
const Page = ({ part, pending }: { part: Part<object>; pending?: ReactNode }) => (
  <LoadedPart
    part={part}
    pending={pending}
    renderFailure={(failure) => <Broken {...failure} />}
    resetKeys={[useLocation().key]}
  >
    {(Component) => <Component />}
  </LoadedPart>
);

/**
 * Pages by path. A map, because the router's `Routes` would add 3 kB (gzip) of pattern matching to every page. Because
 * of the keys, React mounts each page as a new component instead of updating the previous one.
 */
const pages = new Map<string, ReactElement>([
  ['/', <Page key="landing" part={routeParts.landing} />],
  ['/auth', <Page key="auth" part={routeParts.auth} />],
  ['/chat', <Page key="chat" part={routeParts.chat} pending={<ChatShell />} />],
  ['/terms', <Page key="terms" part={routeParts.terms} />],
  ['/privacy', <Page key="privacy" part={routeParts.privacy} />],
  ['/rules', <Page key="rules" part={routeParts.rules} />],
  ['/receipt', <Page key="receipt" part={routeParts.receipt} />],
  ['/moderation', <Page key="moderation" part={routeParts.moderation} />],
]);
const notFoundPage = <Page key="not-found" part={routeParts.notFound} />;

/** The page at the current address; letter case and slashes at the end make no difference. */
export const AppRoutes = () => {
  const path = useLocation().pathname.toLowerCase().replace(/\/+$/, '') || '/';
  return pages.get(path) ?? notFoundPage;
};

/** The browser, and the prerendering of the landing page at build time, wrap the routes in different routers. */
export const App = ({ wrapInRouter }: { wrapInRouter: (routes: ReactNode) => ReactNode }) => (
  <StrictMode>
    <ErrorBoundary fallback={<Broken />} onError={reportRenderError}>
      {wrapInRouter(<AppRoutes />)}
      <Toasts />
    </ErrorBoundary>
  </StrictMode>
);
