import { useEffect, useRef, type ReactNode } from 'react';
import { TwoDots, type DotsState } from '@/product/two-dots';

export interface StageProps {
  dots: DotsState;
  /** React key of the text: a new phase mounts a new text, which is animated in. The dots stay mounted. */
  phase: string;
  title: string;
  lead: ReactNode;
  children: ReactNode;
}

/** Layout of the phases `initial`, `searching` and `skipped`: the dots above, the text and the actions below. */
export const Stage = ({ dots, phase, title, lead, children }: StageProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  // If the button that led here is gone, the focus is on the body. It moves to the heading, so that screen readers
  // announce the new phase.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [phase]);
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain">
      <div className="m-auto w-full max-w-md px-6 py-8">
        <TwoDots state={dots} />
        <div key={phase} className="enter-stage mt-6">
          <h1 ref={heading} tabIndex={-1} className="text-2xl font-bold outline-none">
            {title}
          </h1>
          <div className="mt-2 text-md text-muted-foreground">{lead}</div>
          <div className="mt-8 grid gap-6">{children}</div>
        </div>
      </div>
    </div>
  );
};
