import { type Notice } from '@thaw/contract/safety';
import { type ReactNode } from 'react';
import { NoticeBody } from '@/product/notice/notice-body';
import { getNoticeTitle } from '@/product/notice/notice-text';

/** A notice as its recipient will see it, but without buttons. */
export const NoticePreview = ({ notice }: { notice: Notice }) => (
  <div className="grid gap-3 rounded-card border border-border bg-popover p-4">
    <p className="text-lg font-bold">{getNoticeTitle(notice)}</p>
    <NoticeBody notice={notice} />
  </div>
);

/** A labelled group of previews. */
export const Preview = ({ label, children }: { label: string; children: ReactNode }) => (
  <div role="group" aria-label={label} className="grid gap-2">
    <p className="text-sm font-semibold">{label}</p>
    {children}
  </div>
);
