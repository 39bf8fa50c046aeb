import { lazy, StrictMode, Suspense, type ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { Route, Routes, useLocation } from 'react-router-dom';
import { Broken } from '@/app/broken';
import { Toasts } from '@/app/toasts';
import { reportRenderError } from '@/lib/report-error';

const LandingRoute = lazy(async () => ({
  default: (await import('@/app/routes/landing-route')).LandingRoute,
}));
const AuthRoute = lazy(async () => ({
  default: (await import('@/app/routes/auth-route')).AuthRoute,
}));
const ChatRoute = lazy(async () => ({ default: (await import('@/app/routes/chat-route')).ChatRoute }));
const LegalRoute = lazy(async () => ({ default: (await import('@/app/routes/legal-route')).LegalPage }));
const NotFoundRoute = lazy(async () => ({
  default: (await import('@/app/routes/not-found-route')).NotFoundRoute,
}));

export const AppRoutes = () => {
  const { key } = useLocation();
  return (
    // Another address is another attempt: going back leads out of a page that failed.
    <ErrorBoundary fallback={<Broken />} resetKeys={[key]} onError={reportRenderError}>
      <Suspense fallback={null}>
        <Routes>
          <Route path="/" element={<LandingRoute />} />
          <Route path="/auth" element={<AuthRoute />} />
          <Route path="/chat" element={<ChatRoute />} />
          <Route path="/terms" element={<LegalRoute which="terms" />} />
          <Route path="/privacy" element={<LegalRoute which="privacy" />} />
          <Route path="*" element={<NotFoundRoute />} />
        </Routes>
      </Suspense>
    </ErrorBoundary>
  );
};

/** The same tree in the browser and where the landing page is rendered at the build, but for the router around it. */
export const App = ({ inRouter }: { inRouter: (routes: ReactNode) => ReactNode }) => (
  <StrictMode>
    <ErrorBoundary fallback={<Broken />} onError={reportRenderError}>
      {inRouter(<AppRoutes />)}
      <Toasts />
    </ErrorBoundary>
  </StrictMode>
);
