import { StrictMode, type ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { Route, Routes, useLocation } from 'react-router-dom';
import { Broken } from '@/app/broken';
import { routeParts } from '@/app/route-parts';
import { ChatShell } from '@/app/shell/chat-shell';
import { Toasts } from '@/app/toasts';
import { reportRenderError } from '@/lib/report-error';
import { LoadedPart, type Part } from '@/ui/loaded-part';

/** Navigation, including Back, clears a failed page. */
const Page = ({ part, pending }: { part: Part<object>; pending?: ReactNode }) => (
  <LoadedPart
    part={part}
    pending={pending}
    broken={(failure) => <Broken {...failure} />}
    resetKeys={[useLocation().key]}
  >
    {(Loaded) => <Loaded />}
  </LoadedPart>
);

export const AppRoutes = () => (
  <Routes>
    <Route path="/" element={<Page key="landing" part={routeParts.landing} />} />
    <Route path="/auth" element={<Page key="auth" part={routeParts.auth} />} />
    <Route path="/chat" element={<Page key="chat" part={routeParts.chat} pending={<ChatShell />} />} />
    <Route path="/terms" element={<Page key="terms" part={routeParts.terms} />} />
    <Route path="/privacy" element={<Page key="privacy" part={routeParts.privacy} />} />
    <Route path="/rules" element={<Page key="rules" part={routeParts.rules} />} />
    <Route path="/receipt" element={<Page key="receipt" part={routeParts.receipt} />} />
    <Route path="/moderation" element={<Page key="moderation" part={routeParts.moderation} />} />
    <Route path="*" element={<Page key="not-found" part={routeParts.notFound} />} />
  </Routes>
);

/** The same tree in the browser and in the build that renders the landing page; only the router differs. */
export const App = ({ wrapInRouter }: { wrapInRouter: (routes: ReactNode) => ReactNode }) => (
  <StrictMode>
    <ErrorBoundary fallback={<Broken />} onError={reportRenderError}>
      {wrapInRouter(<AppRoutes />)}
      <Toasts />
    </ErrorBoundary>
  </StrictMode>
);
