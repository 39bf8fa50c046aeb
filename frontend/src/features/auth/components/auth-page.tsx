import { ArrowLeft } from 'lucide-react';
import { useState, useTransition, type FormEvent, type ReactNode } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { login, register as registerAccount } from '@/features/auth/api/auth-calls';
import { copy } from '@/features/auth/copy';
import { validateCredentials, type CredentialsForm } from '@/features/auth/credentials-form';
import { useAnonymousStart } from '@/features/auth/use-anonymous-start';
import { useDocumentTitle } from '@/product/document-title';
import { signIn } from '@/product/identity';
import { Logo } from '@/product/logo';
import { TwoDots } from '@/product/two-dots';
import { Button, buttonClass } from '@/ui/button';
import { Field } from '@/ui/field';
import { Link } from '@/ui/link';
import { toast } from '@/ui/toast-store';
import { useForm } from '@/ui/use-form';

const emptyForm: CredentialsForm = { email: '', password: '', confirmPassword: '' };

export interface AuthPageProps {
  /** The notice about the terms that a visitor accepts by signing in. */
  consent: ReactNode;
  /** Loads the code of /chat. Called during the sign-in request; the visitor stays on this page until both are done. */
  prepareChat: () => Promise<void>;
}

/** The page with the forms to sign in and to register, and a button to chat without an account. */
export const AuthPage = ({ consent, prepareChat }: AuthPageProps) => {
  const [searchParams, setSearchParams] = useSearchParams();
  const isRegistering = searchParams.get('register') === 'true';
  const mode = isRegistering ? 'register' : 'login';
  const modeCopy = copy[mode];
  useDocumentTitle(modeCopy.submit);

  const navigate = useNavigate();
  const anonymousStart = useAnonymousStart(copy.toasts.anonymousFailed, prepareChat);
  const { values, field, reset } = useForm(emptyForm);
  // Validates on submit, and on every change after that.
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const errors = wasSubmitted ? validateCredentials(mode, values) : {};
  const [isSubmitting, startSubmitting] = useTransition();

  const signInOrRegister = async (): Promise<void> => {
    const { email, password } = values;
    try {
      const authenticate = isRegistering ? registerAccount : login;
      const [user] = await Promise.all([authenticate({ email, password }), prepareChat()]);
      signIn(user);
      toast(isRegistering ? copy.toasts.registered : copy.toasts.loggedIn);
      await navigate('/chat');
    } catch (error) {
      console.warn('Signing in failed', error);
      toast({
        ...(isRegistering ? copy.toasts.registrationFailed : copy.toasts.loginFailed),
        tone: 'destructive',
      });
    }
  };

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setWasSubmitted(true);
    // `validateCredentials` returns the errors in the order of the fields.
    const [firstInvalidField] = Object.keys(validateCredentials(mode, values));
    if (firstInvalidField !== undefined) {
      const input = event.currentTarget.elements.namedItem(firstInvalidField);
      if (input instanceof HTMLElement) input.focus();
      return;
    }
    // The disabled button does not prevent a second submit, for example by a password manager.
    if (isSubmitting) return;
    startSubmitting(signInOrRegister);
  };

  const toggleMode = (): void => {
    reset({ ...emptyForm, email: values.email });
    setWasSubmitted(false);
    setSearchParams(isRegistering ? {} : { register: 'true' }, { replace: true });
  };

  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <main className="flex flex-col px-6 py-6 md:px-12">
        <div className="flex items-center justify-between">
          <Link to="/" className={buttonClass({ variant: 'ghost' }, '-ml-4 text-muted-foreground')}>
            <ArrowLeft aria-hidden="true" />
            {copy.back}
          </Link>
          <Logo className="lg:hidden" />
        </div>
        <div className="m-auto w-full max-w-sm py-12">
          <h1 className="text-2xl font-bold">{modeCopy.title}</h1>
          <p className="mt-1 text-md text-muted-foreground">{modeCopy.lead}</p>

          <form noValidate className="mt-8 grid gap-4" onSubmit={submit}>
            <Field
              label={copy.fields.email}
              type="email"
              autoComplete={isRegistering ? 'email' : 'username'}
              inputMode="email"
              spellCheck={false}
              error={errors.email}
              {...field('email')}
            />
            <Field
              label={copy.fields.password}
              type="password"
              autoComplete={isRegistering ? 'new-password' : 'current-password'}
              error={errors.password}
              {...field('password')}
            />
            {isRegistering ? (
              <Field
                label={copy.fields.confirmPassword}
                type="password"
                autoComplete="new-password"
                error={errors.confirmPassword}
                {...field('confirmPassword')}
              />
            ) : null}
            <Button type="submit" size="lg" className="mt-2 w-full" disabled={isSubmitting}>
              {isSubmitting ? modeCopy.pending : modeCopy.submit}
            </Button>
          </form>

          <p className="mt-3 text-base text-muted-foreground">
            {modeCopy.toggleQuestion}{' '}
            <Button variant="link" className="h-auto px-1 align-baseline" onClick={toggleMode}>
              {modeCopy.toggle}
            </Button>
          </p>

          <div aria-hidden="true" className="my-6 flex items-center gap-4 text-sm text-muted-foreground">
            <span className="h-px flex-1 bg-border" />
            {copy.or}
            <span className="h-px flex-1 bg-border" />
          </div>
          <Button
            variant="outline"
            size="lg"
            className="w-full"
            disabled={anonymousStart.isStarting}
            onClick={anonymousStart.start}
          >
            {anonymousStart.isStarting ? copy.starting : copy.anonymous}
          </Button>
          <div className="mt-6">{consent}</div>
        </div>
      </main>
      <aside className="relative hidden overflow-hidden bg-card lg:flex lg:flex-col lg:justify-between lg:p-12">
        <Logo />
        <div className="max-w-xl xl:px-12">
          <TwoDots state="seeking" />
        </div>
        <div className="max-w-md">
          <p className="text-2xl font-bold text-balance">{copy.panel.line}</p>
          <p className="mt-3 text-md text-muted-foreground">{copy.panel.note}</p>
        </div>
      </aside>
    </div>
  );
};
