import { NativeModules } from "react-native";

export type Rung = "biometric" | "devicePasscode" | "appPIN" | "fullCredentials";
export type Step =
  | "retry" | "wait" | "fallBack" | "reEnrol" | "openSettings" | "setPasscode" | "signInAgain" | "report";
/** The sensor is face, fingerprint or iris, and on Apple's systems faceID, touchID or opticID. */
export type Readiness = { enrolled: boolean; next: Rung; sensor: string | null };
export type Approval = {
  id: string;
  from: string;
  title: string;
  lines: { label: string; value: string }[];
  caution: string | null;
};

/** Why a call did not succeed: a code to compare, a text to show, and the next step. */
export class ThumbturnFailure extends Error {
  constructor(
    readonly code: string, readonly text: string, readonly step?: Step, readonly button?: string | null,
    readonly status?: string | null,
  ) {
    super(code);
  }
}

export const readiness = (): Promise<Readiness> => call("readiness", {});
export const enrol = (account: string, password: string, reason: string): Promise<{ device: string; name: string }> =>
  call("enrol", { account, password, reason });
export const authenticate = (reason: string): Promise<{ rung: Rung }> => call("authenticate", { reason });
/** Fetches an approval; show all its lines. */
export const approval = (id: string): Promise<Approval> => call("approval", { id });
/** Approves what `approval` has fetched. */
export const approve = (id: string): Promise<{ id: string; signed: boolean }> => call("approve", { id });
export const revoke = (): Promise<Record<string, never>> => call("revoke", {});

async function call<T>(name: string, given: Record<string, string>): Promise<T> {
  try {
    return JSON.parse(await NativeModules.Thumbturn.call(name, JSON.stringify(given))) as T;
  } catch (thrown) {
    const error = thrown as { code: string; message: string; userInfo?: { details?: string } };
    const details = JSON.parse(error.userInfo?.details ?? "{}");
    throw new ThumbturnFailure(error.code, error.message, details.step, details.button, details.status);
  }
}
