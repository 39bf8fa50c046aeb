import { copy } from '@/app/copy';
import { Logo } from '@/product/logo';
import { TwoDots } from '@/product/two-dots';

/**
 * Placeholder of /chat until its scripts are loaded, rendered into chat.html at build time. It has the layout of the
 * page, so that the real page causes little layout shift. Only for signed-in users: visitors are redirected to /auth.
 */
export const ChatShell = () => (
  <div className="only-signed-in flex h-dvh flex-col overflow-hidden">
    <header className="flex h-16 shrink-0 items-center px-4 md:px-6">
      <Logo />
    </header>
    <div className="flex min-h-0 flex-1">
      <div aria-hidden="true" className="grid w-80 shrink-0 content-start gap-3 p-4 max-md:hidden">
        <div className="h-12 rounded-control bg-raised" />
        <div className="h-12 rounded-control bg-raised opacity-60" />
        <div className="h-12 rounded-control bg-raised opacity-30" />
      </div>
      <main aria-busy="true" className="flex min-w-0 flex-1 md:p-4 md:pt-0">
        <div className="grid flex-1 content-center bg-card md:rounded-sheet">
          <div className="mx-auto w-full max-w-md px-6">
            <TwoDots state="resting" />
            <p role="status" className="mt-6 text-md text-muted-foreground">
              {copy.opening}
            </p>
          </div>
        </div>
      </main>
    </div>
  </div>
);
