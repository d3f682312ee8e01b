package com.thumbturn.internal;

import static com.thumbturn.internal.Phone.check;
import static com.thumbturn.internal.Phone.equal;

import com.thumbturn.fake.FakePrompt;
import com.thumbturn.fake.FakeSensor;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.List;

final class PromptTests {
    private static final byte[] BYTES = {1, 2, 3};

    private final Phone phone = new Phone(36);

    /** A biometric prompt over a signing key, on the screen. */
    private long signing() {
        if (phone.android.keystore.key(Phone.ALIAS) == null) {
            phone.createKey(KeyKind.BIOMETRIC_SIGN);
        }
        return phone.prompt(1, Phone.ALIAS, 1);
    }

    private void tell(String step) {
        com.thumbturn.fake.FakeAndroid.tell(step);
    }

    @Test("a match authorises exactly one signature, which verifies under the public key")
    void match() throws Exception {
        long id = signing();
        tell("match");
        Phone.Success success = phone.success(id);
        equal(2L, success.type());
        byte[] signature = phone.use(success.handle(), BYTES);
        byte[] spki = phone.publicKey();
        Signature verifier = Signature.getInstance("SHA256withECDSA", "SunEC");
        verifier.initVerify(KeyFactory.getInstance("EC", "SunEC").generatePublic(new X509EncodedKeySpec(spki)));
        verifier.update(BYTES);
        check(verifier.verify(signature), "the signature does not verify");
        Reply again = phone.run(4, new Message.Writer().number(success.handle()).bytes(BYTES));
        equal(List.of("java.lang.IllegalStateException"), again.classes());
    }

    @Test("the authentication type is unknown before level 30")
    void typeByLevel() {
        for (int level : Phone.LEVELS) {
            Phone old = new Phone(level);
            old.createKey(KeyKind.BIOMETRIC_SIGN);
            long id = old.prompt(1, Phone.ALIAS, 1);
            tell("match");
            Phone.Success success = old.success(id);
            equal(level < 30 ? -1L : 2L, success.type());
            check(old.use(success.handle(), BYTES).length > 60, "a signature");
        }
    }

    @Test("a released handle signs nothing")
    void release() {
        long id = signing();
        tell("match");
        long handle = phone.success(id).handle();
        phone.done(5, new Message.Writer().number(handle)).end();
        Reply reply = phone.run(4, new Message.Writer().number(handle).bytes(BYTES));
        equal(List.of("java.lang.IllegalStateException"), reply.classes());
    }

    @Test("a secret is wrapped without a prompt, and a prompt unwraps it")
    void vault() {
        for (KeyKind kind : new KeyKind[] {KeyKind.VAULT_BIOMETRIC, KeyKind.VAULT_PASSCODE, KeyKind.VAULT_BIOMETRIC_ANY}) {
            phone.createKey(kind);
            boolean credential = kind == KeyKind.VAULT_PASSCODE;
            int before = phone.android.promptsShown;
            byte[] secret = new byte[190];
            Arrays.fill(secret, (byte) 7);
            byte[] box = phone.done(20, new Message.Writer().bytes(phone.publicKey()).bytes(secret)).bytes();
            equal(256, box.length);
            equal(before, phone.android.promptsShown);
            long id = phone.prompt(credential ? 2 : 1, Phone.ALIAS, 3);
            tell(credential ? "credential" : "match");
            check(Arrays.equals(secret, phone.use(phone.success(id).handle(), box)), "the plain bytes differ");
            box[0] ^= 1;
            long forged = phone.prompt(credential ? 2 : 1, Phone.ALIAS, 3);
            tell(credential ? "credential" : "match");
            Reply reply = phone.run(4, new Message.Writer().number(phone.success(forged).handle()).bytes(box));
            equal(List.of("javax.crypto.BadPaddingException"), reply.classes().subList(0, 1));
        }
    }

    @Test("a box that no prompt authorised is not opened")
    void vaultWithoutPrompt() {
        phone.createKey(KeyKind.VAULT_BIOMETRIC);
        byte[] box = phone.done(20, new Message.Writer().bytes(phone.publicKey()).bytes(BYTES)).bytes();
        long id = phone.prompt(2, Phone.ALIAS, 3);
        tell("credential");
        Reply reply = phone.run(4, new Message.Writer().number(phone.success(id).handle()).bytes(box));
        equal(List.of("javax.crypto.IllegalBlockSizeException", "android.security.KeyStoreException"), reply.classes());
    }

    @Test("what is too long to wrap, and what is no key, is thrown")
    void wrapRefused() {
        phone.createKey(KeyKind.VAULT_BIOMETRIC);
        Message.Writer tooLong = new Message.Writer().bytes(phone.publicKey()).bytes(new byte[191]);
        equal("javax.crypto.IllegalBlockSizeException", phone.run(20, tooLong).classes().get(0));
        Message.Writer noKey = new Message.Writer().bytes(BYTES).bytes(BYTES);
        equal("java.security.spec.InvalidKeySpecException", phone.run(20, noKey).classes().get(0));
    }

    @Test("a prompt without a key succeeds without a handle")
    void withoutKey() {
        long id = phone.prompt(1, null, 0);
        tell("match");
        equal(new Phone.Success(2, 0), phone.success(id));
    }

    @Test("every error code of the system is passed on as it is, and ends the prompt")
    void errors() {
        for (int code : new int[] {1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14, 15, 20, 21, 1000, 1234, -7}) {
            long id = signing();
            tell("error " + code);
            phone.error(id, code);
            phone.silent(id);
        }
    }

    @Test("the negative button is code 13")
    void negative() {
        long id = signing();
        tell("negative");
        phone.error(id, 13);
    }

    @Test("help codes and failed attempts are news and leave the prompt on the screen")
    void news() {
        long id = signing();
        for (int code : new int[] {0, 1, 2, 3, 4, 5, 1003}) {
            tell("help " + code);
            Message.Reader help = phone.next(id).news();
            equal(1L, help.number());
            equal((long) code, help.number());
        }
        tell("fail");
        equal(2L, phone.next(id).news().number());
        phone.silent(id);
        check(phone.android.prompt() != null, "the prompt is gone");
        tell("match");
        phone.success(id);
    }

    @Test("five failed attempts bring the lockout of 30 seconds, and the next prompt is told at once")
    void lockout() {
        long id = signing();
        for (int attempt = 0; attempt < 5; attempt++) {
            tell("fail");
            equal(2L, phone.next(id).news().number());
        }
        phone.error(id, 7);
        long locked = signing();
        phone.error(locked, 7);
        tell("advance 30000");
        long open = signing();
        tell("match");
        phone.success(open);
    }

    @Test("twenty failed attempts bring the lockout that only the credential lifts")
    void permanentLockout() {
        for (int attempt = 0; attempt < 20; attempt++) {
            long id = signing();
            tell("fail");
            equal(2L, phone.next(id).news().number());
            if (attempt % 5 == 4) {
                phone.error(id, attempt == 19 ? 9 : 7);
                tell("advance 30000");
            } else {
                phone.cancel(id);
                phone.error(id, 5);
            }
        }
        long locked = signing();
        phone.error(locked, 9);
        long credential = phone.prompt(2, null, 0);
        tell("credential");
        equal(1L, phone.success(credential).type());
        long open = signing();
        tell("match");
        phone.success(open);
    }

    @Test("a cancelled prompt is answered once, by the system")
    void cancel() {
        long id = signing();
        phone.cancel(id);
        phone.error(id, 5);
        equal(null, phone.android.prompt());
        tell("advance 5000");
        phone.silent(id);
    }

    @Test("a system that stays silent after a cancel is answered for after two seconds, and not before")
    void watchdog() {
        long id = signing();
        tell("silence");
        phone.cancel(id);
        tell("advance 1999");
        phone.silent(id);
        tell("advance 1");
        phone.error(id, 5);
        tell("late-match");
        tell("late-error 10");
        phone.silent(id);
        // Nor does the match leave an operation behind.
        Reply first = phone.run(4, new Message.Writer().number(1).bytes(BYTES));
        equal(List.of("java.lang.IllegalStateException"), first.classes());
    }

    @Test("a prompt that the system never ends is cancelled after ten minutes, and the system may answer that")
    void noEnd() {
        long id = phone.prompt(2, null, 0);
        tell("advance 599999");
        phone.silent(id);
        check(phone.android.prompt() != null, "the prompt is gone");
        tell("advance 1");
        phone.error(id, 5);
        equal(null, phone.android.prompt());
        tell("advance 5000");
        phone.silent(id);
    }

    @Test("a system that is silent at a prompt and at its cancel is answered for after ten minutes and two seconds")
    void noEndAndNoAnswer() {
        long id = phone.prompt(2, null, 0);
        tell("silence");
        tell("advance 601999");
        phone.silent(id);
        tell("advance 1");
        phone.error(id, 5);
        tell("late-match");
        phone.silent(id);
    }

    @Test("a Keystore that does not answer within ten minutes ends the prompt before it is shown")
    void noOperation() {
        phone.createKey(KeyKind.BIOMETRIC_SIGN);
        long id;
        synchronized (phone.android.keystore) { // The Keystore's worker waits.
            id = phone.beginPrompt(1, Phone.ALIAS, 1);
            tell("advance 600000");
            phone.error(id, 5);
        }
        phone.settleKeystore();
        equal(0, phone.android.promptsShown);
        phone.silent(id);
    }

    @Test("ten minutes after a prompt that ended, another one is not touched")
    void noEndOfAnother() {
        long first = signing();
        tell("advance 300000");
        tell("match");
        phone.success(first);
        long second = phone.prompt(2, null, 0);
        tell("advance 599999");
        phone.silent(first);
        phone.silent(second);
        tell("credential");
        phone.success(second);
        tell("advance 600000");
        phone.silent(first);
        phone.silent(second);
    }

    @Test("a system that throws at a cancel is answered for, and the app lives on")
    void cancelThrows() {
        phone.android.script("cancel-throws");
        long id = signing();
        phone.cancel(id);
        tell("advance 2000");
        phone.error(id, 5);
        equal(null, phone.android.main.crash);
        phone.android.script("cancel-throws");
        long matched = signing();
        tell("match");
        phone.success(matched);
        equal(null, phone.android.main.crash);
    }

    @Test("a match that comes between the cancel and the watchdog is the answer")
    void matchAfterCancel() {
        long id = signing();
        tell("silence");
        phone.cancel(id);
        tell("late-match");
        Phone.Success success = phone.success(id);
        tell("advance 5000");
        phone.silent(id);
        Reply reply = phone.run(4, new Message.Writer().number(success.handle()).bytes(BYTES));
        equal(List.of("java.security.SignatureException", "android.security.KeyStoreException"), reply.classes());
    }

    @Test("a prompt that is cancelled before it is shown never appears")
    void cancelBefore() {
        phone.createKey(KeyKind.BIOMETRIC_SIGN);
        long id;
        synchronized (phone.android.keystore) { // The Keystore's worker waits.
            id = phone.beginPrompt(1, Phone.ALIAS, 1);
            phone.cancel(id);
            phone.error(id, 5);
        }
        phone.settleKeystore();
        equal(0, phone.android.promptsShown);
        phone.silent(id);
    }

    @Test("cancelling what is unknown or has ended does nothing")
    void cancelUnknown() {
        phone.cancel(12345);
        long id = signing();
        tell("match");
        phone.success(id);
        phone.cancel(id);
        tell("advance 5000");
        phone.silent(id);
    }

    @Test("callbacks after the last one change nothing")
    void late() {
        long id = signing();
        tell("match");
        phone.success(id);
        tell("late-match");
        tell("late-error 5");
        phone.silent(id);
        long other = signing();
        FakePrompt shown = phone.android.prompt();
        tell("error 10");
        phone.error(other, 10);
        phone.android.main.run(() -> {
            shown.help(1);
            shown.fail();
            shown.negative();
        });
        phone.silent(other);
    }

    @Test("a prompt that the maker leaves on the screen is taken away at its end")
    void leftBehind() {
        phone.android.script("stays");
        long id = signing();
        tell("fail");
        phone.next(id).news();
        tell("match");
        phone.success(id);
        phone.android.main.settle();
        equal(null, phone.android.prompt());
    }

    @Test("a NullPointerException at authenticate is a thrown answer, and the next prompt works")
    void nullPointer() {
        phone.createKey(KeyKind.BIOMETRIC_SIGN);
        phone.android.script("null pointer");
        long id = phone.beginPrompt(1, Phone.ALIAS, 1);
        equal(List.of("java.lang.NullPointerException"), phone.next(id).classes());
        long next = signing();
        tell("match");
        phone.success(next);
        equal(null, phone.android.main.crash);
    }

    @Test("a success that lost the operation gives no handle")
    void lostOperation() {
        phone.android.script("loses-operation");
        long id = signing();
        tell("match");
        equal(List.of("java.lang.IllegalStateException"), phone.next(id).classes());
    }

    @Test("a rotation keeps the prompt")
    void rotation() {
        tell("open");
        long id = signing();
        tell("rotate");
        phone.silent(id);
        check(phone.android.prompt() != null, "the prompt is gone");
        tell("match");
        phone.success(id);
    }

    @Test("of two prompts the system ends the first, and each gets its own answer")
    void twoPrompts() {
        long first = signing();
        long second = signing();
        phone.error(first, 5);
        tell("match");
        Phone.Success success = phone.success(second);
        phone.silent(first);
        check(phone.use(success.handle(), BYTES).length > 60, "a signature");
    }

    @Test("a success authorises only the operation of its own prompt")
    void ownOperation() {
        long first = signing();
        FakePrompt older = phone.android.prompt();
        tell("silence");
        long second = signing();
        phone.error(first, 5);
        phone.android.main.run(older::match);
        phone.silent(first);
        tell("negative");
        phone.error(second, 13);
    }

    @Test("a biometric does not open a key of the passcode, nor the passcode a biometric key")
    void rungs() {
        phone.createKey(KeyKind.PASSCODE_SIGN);
        long id = phone.prompt(1, Phone.ALIAS, 1);
        tell("match");
        Reply reply = phone.run(4, new Message.Writer().number(phone.success(id).handle()).bytes(BYTES));
        equal(new Reply.Cause("android.security.KeyStoreException", 2, false), reply.causes().get(1));
        phone.createKey(KeyKind.BIOMETRIC_SIGN);
        id = phone.prompt(2, Phone.ALIAS, 1);
        tell("credential");
        reply = phone.run(4, new Message.Writer().number(phone.success(id).handle()).bytes(BYTES));
        equal("java.security.SignatureException", reply.classes().get(0));
    }

    @Test("a new finger ends the key before any prompt, and the alias stays")
    void newFinger() {
        phone.createKey(KeyKind.BIOMETRIC_SIGN);
        phone.android.sensor.enrol();
        long id = phone.beginPrompt(1, Phone.ALIAS, 1);
        equal("android.security.keystore.KeyPermanentlyInvalidatedException", phone.next(id).classes().get(0));
        equal(0, phone.android.promptsShown);
        equal(true, phone.done(7, new Message.Writer().text(Phone.ALIAS)).flag());
    }

    @Test("a new finger while the prompt is up ends the key, and the handle signs nothing")
    void newFingerDuring() {
        long id = signing();
        phone.android.sensor.enrol();
        tell("match");
        Reply reply = phone.run(4, new Message.Writer().number(phone.success(id).handle()).bytes(BYTES));
        equal("java.security.SignatureException", reply.classes().get(0));
    }

    @Test("a missing alias is told by its own class, and no prompt is shown")
    void missing() {
        long id = phone.beginPrompt(1, Phone.ALIAS, 1);
        equal(List.of("com.thumbturn.internal.NoSuchKeyException"), phone.next(id).classes());
        equal(0, phone.android.promptsShown);
    }

    @Test("a weak sensor only is refused by the system on each level that can tell")
    void weakOnly() {
        for (int level : Phone.LEVELS) {
            Phone weak = new Phone(level);
            weak.android.sensor.strength = FakeSensor.Strength.WEAK;
            String[] classes = {"java.security.InvalidAlgorithmParameterException", "java.lang.IllegalStateException"};
            equal(List.of(classes), weak.create(Phone.ALIAS, KeyKind.BIOMETRIC_SIGN, null).classes());
            long id = weak.prompt(1, null, 0);
            if (level < 30) {
                // Nothing in the prompt of these levels asks for a strong one: only a key's operation does.
                tell("match");
                equal(0L, weak.success(id).handle());
            } else {
                weak.error(id, 12);
            }
        }
    }

    @Test("a use without an alias and an alias without a use are refused")
    void halfARequest() {
        equal(List.of("java.lang.IllegalArgumentException"), phone.next(phone.beginPrompt(1, null, 1)).classes());
        equal(List.of("java.lang.IllegalArgumentException"), phone.next(phone.beginPrompt(1, Phone.ALIAS, 0)).classes());
        equal(List.of("java.lang.IllegalArgumentException"), phone.next(phone.beginPrompt(3, null, 0)).classes());
        for (int use : new int[] {2, 4, 5}) {
            equal(List.of("java.lang.IllegalArgumentException"), phone.next(phone.beginPrompt(1, Phone.ALIAS, use)).classes());
        }
    }
}
