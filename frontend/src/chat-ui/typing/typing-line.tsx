import { copy } from '@/chat-ui/copy';
import { TypingDots } from '@/chat-ui/typing/typing-dots';
import { TypingLog, type TypingLogProps } from '@/chat-ui/typing/typing-log';

export interface TypingLineProps extends TypingLogProps {
  /** Adds words to the dots. Set where nothing else on the screen says that the partner is typing. */
  showsText?: boolean;
}

/** Typing indicator below the last message. `TypingLog` announces it to screen readers. */
export const TypingLine = ({ showsText = false, ...typing }: TypingLineProps) => (
  <>
    <div className="h-8 pt-2 pl-10 text-sm text-muted-foreground">
      {typing.isTyping ? (
        <p className="enter-rise inline-flex items-center gap-2">
          <TypingDots />
          {showsText ? copy.message.typing(typing.name) : null}
        </p>
      ) : null}
    </div>
    <TypingLog {...typing} />
  </>
);
