import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './components/button.tsx';
import { Field, FieldProblem, Form } from './components/field.tsx';
import { Icon } from './components/icon.tsx';
import { PASSWORD_HINT, PasswordField } from './components/password-field.tsx';
import { explain, failureOf } from './failures.ts';
import { t } from './language.ts';
import { refusalText } from './refusals.ts';
import { navigate } from './router.ts';
import { acceptInvitation, type Proof } from './service.ts';
import { signIn } from './session.ts';

interface SignInProps {
  /** Whether the session of this person has ended, and what they had begun is still there. */
  readonly isReturn?: boolean;
  /** What has just happened. */
  readonly told?: string | undefined;
  /** Called once somebody is signed in. */
  readonly onDone?: () => void;
}

/** The page for people who are not signed in. Afterwards the console shows the page they wanted. */
export function SignIn({ isReturn = false, told, onDone }: SignInProps) {
  const [byKey, setByKey] = useState(false);
  const enter = (proof: Proof) => signIn(proof).then(onDone);
  const lead = isReturn ? t`Sign in again: your unfinished work is still there.` : told;
  return (
    <Place isReturn={isReturn} heading={t`Sign in to Petstore`} lead={lead}>
      <SecretForm
        key={`${byKey}`}
        action={t`Sign in`}
        missing={byKey ? t`Enter an API key.` : t`Enter your e-mail address and password.`}
        send={(read) =>
          enter(byKey ? { key: read('key') } : { email: read('email'), password: read('password') })
        }
      >
        {byKey ? (
          <Field
            label={t`API key`}
            name="key"
            hint={t`It starts with petstore_`}
            more={{ type: 'password', autoComplete: 'off', autoCapitalize: 'none' }}
          />
        ) : (
          <>
            <EmailField />
            <PasswordField label={t`Password`} kind="current-password" />
          </>
        )}
      </SecretForm>
      <p>
        <Button kind="quiet" onClick={() => setByKey(!byKey)}>
          {byKey ? t`Sign in with an e-mail address` : t`Sign in with an API key`}
        </Button>
      </p>
      <p class="hint">{t`Forgotten, or no password yet? Ask a manager for an invitation.`}</p>
    </Place>
  );
}

/** The page that an invitation leads to: its secret is in the fragment of the address. */
export function Invitation() {
  const [secret, setSecret] = useState(() => location.hash.slice(1));
  useEffect(() => {
    const read = () => {
      if (location.hash === '') return;
      setSecret(location.hash.slice(1));
      // Nobody shall find it in the address or the history later.
      history.replaceState(history.state, '', location.pathname);
    };
    read();
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const [told, setTold] = useState<string>();
  const enter = () => navigate('/console', 'replace');
  if (told !== undefined) return <SignIn told={told} onDone={enter} />;
  // The page was reloaded, or the address is not whole.
  if (secret === '') {
    const lead = t`Open the whole address of your invitation again: this page does not keep it.`;
    return (
      <Place heading={t`Choose a password`} lead={lead}>
        <p>
          <a href="/console">{t`Sign in`}</a> {t`if you have a password already.`}
        </p>
      </Place>
    );
  }

  async function accept(read: (name: string) => string) {
    const password = read('password');
    if (password !== read('again')) throw new FieldProblem('again', t`The two passwords differ.`);
    await acceptInvitation(secret, password);
    const proof: Proof = { email: read('email'), password };
    await signIn(proof).then(enter, () =>
      setTold(t`Your password is set. Sign in with the e-mail address that was invited.`),
    );
  }

  return (
    <Place
      heading={t`Choose a password`}
      lead={t`It signs you in to Petstore, with your e-mail address.`}
    >
      <SecretForm action={t`Set password`} missing={t`Fill in all three.`} send={accept}>
        <EmailField />
        <PasswordField label={t`New password`} kind="new-password" hint={PASSWORD_HINT} />
        <PasswordField label={t`Repeat it`} name="again" kind="new-password" />
      </SecretForm>
    </Place>
  );
}

function EmailField() {
  const more = { type: 'email', autoComplete: 'username', autoCapitalize: 'none' };
  return <Field name="email" more={more} />;
}

interface SecretFormProps {
  readonly action: string;
  /** Said if a field is empty. */
  readonly missing: string;
  /** Sends what was typed. What it throws is shown. */
  readonly send: (read: (name: string) => string) => Promise<void>;
  readonly children: ComponentChildren;
}

function SecretForm({ action, missing, send, children }: SecretFormProps) {
  const [problem, setProblem] = useState<FieldProblem>();
  const [isExposed, setExposed] = useState(false);
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const fields = () => [...(form.current?.querySelectorAll('input') ?? [])];
  useEffect(() => fields()[0]?.focus(), []);

  async function submit(event: Event) {
    event.preventDefault();
    if (isSending) return;
    const empty = fields().find(({ value }) => value.trim() === '');
    if (empty) return refuse(missing, empty);
    setSending(true);
    setProblem(undefined);
    try {
      await send((name) => fields().find((one) => one.name === name)?.value ?? '');
    } catch (error) {
      setExposed(
        !(error instanceof FieldProblem) && failureOf(error).code === 'insecure_connection',
      );
      const name = fieldOf(error);
      const about = fields().find((one) => one.name === name) ?? fields().at(-1);
      refuse(error instanceof FieldProblem ? error.message : reasonOf(error), about);
    } finally {
      setSending(false);
    }
  }

  function refuse(reason: string, field: HTMLInputElement | undefined) {
    setProblem(new FieldProblem(field?.name ?? '', reason));
    field?.focus();
  }

  return (
    <form class="stack" ref={form} onSubmit={submit} noValidate>
      <Form.Provider value={{ shown: {}, problem }}>{children}</Form.Provider>
      <Button type="submit" kind="primary" isDisabled={isSending}>
        {isSending ? t`One moment…` : action}
      </Button>
      {isExposed && <SetUpTls />}
    </form>
  );
}

function SetUpTls() {
  return (
    <p class="hint">
      <a href="/docs/errors#insecure_connection">{t`How to set up TLS`}</a>
    </p>
  );
}

interface PlaceProps extends Pick<SignInProps, 'isReturn'> {
  readonly heading: string;
  readonly lead?: string | undefined;
  readonly children?: ComponentChildren;
}

/**
 * The whole window; over a page with something unfinished, a dialog that only signing in ends. It has
 * no form where others on the network could read it, which the service would refuse.
 */
function Place({ isReturn = false, heading, ...props }: PlaceProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [focused] = useState(() => document.activeElement);
  useEffect(() => {
    dialog.current?.showModal();
    const before = document.title;
    document.title = isReturn ? t`Sign in · Petstore` : t`${heading} · Petstore`;
    return () => {
      document.title = before;
      // Once the page under it can be seen again.
      if (isReturn && focused instanceof HTMLElement) setTimeout(() => focused.focus());
    };
  }, []);
  const lead = isSecureContext ? props.lead : EXPOSED;
  const content = (
    <>
      <Icon name="animals" />
      <h1>{heading}</h1>
      {lead && <p>{lead}</p>}
      {isSecureContext ? props.children : <SetUpTls />}
    </>
  );
  const stay = (event: Event) => event.preventDefault();
  return isReturn ? (
    <dialog
      ref={dialog}
      class="sign-in"
      aria-label={t`Sign in again`}
      onCancel={stay}
      onKeyDown={(event) => event.key === 'Escape' && stay(event)}
    >
      {content}
    </dialog>
  ) : (
    <main class="sign-in" id="main">
      {content}
    </main>
  );
}

const EXPOSED = t`Others on this network could read your password: open this page with https.`;

/** Returns the name of the field that an error is about, if it says so. */
function fieldOf(error: unknown): string | undefined {
  if (error instanceof FieldProblem) return error.field;
  return /^(\w+) must /.exec(failureOf(error).message)?.[1];
}

function reasonOf(error: unknown): string {
  const failure = failureOf(error);
  switch (failure.code) {
    case 'invalid_api_key':
    case 'missing_api_key':
      return t`This key is not valid. Check that all of it was copied.`;
    case 'invalid_body':
      return refusalText(failure.message, t`The password`);
    default:
      return explain(failure);
  }
}
