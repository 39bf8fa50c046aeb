import { type Notice } from '@thaw/contract/safety';
import { listParagraphs } from '@/product/notice/notice-text';

/** The paragraphs of a notice below its title; the first one is emphasized. */
export const NoticeBody = ({ notice }: { notice: Notice }) => (
  <div className="grid gap-3 text-base">
    {listParagraphs(notice).map((paragraph, index) => (
      <p
        key={paragraph}
        className={index === 0 ? 'text-md wrap-anywhere whitespace-pre-wrap' : 'text-muted-foreground'}
      >
        {paragraph}
      </p>
    ))}
  </div>
);
