package com.thumbturn.internal;

import static com.thumbturn.internal.Phone.check;
import static com.thumbturn.internal.Phone.equal;

import android.security.keystore.KeyGenParameterSpec;
import com.thumbturn.fake.FakeKeystore.StrongBox;
import com.thumbturn.fake.FakeKeystore.Trouble;
import java.util.Arrays;
import java.util.List;

final class KeyTests {
    private static final byte[] BYTES = {1, 2, 3};
    private static final String DEAD = "android.security.keystore.KeyPermanentlyInvalidatedException";

    private static final List<KeyKind> BIOMETRIC =
            List.of(KeyKind.BIOMETRIC_SIGN, KeyKind.VAULT_BIOMETRIC, KeyKind.VAULT_BIOMETRIC_ANY);

    private static KeyGenParameterSpec specification(Phone phone) {
        return phone.android.keystore.key(Phone.ALIAS).spec;
    }

    private static int useOf(KeyKind kind) {
        return switch (kind.algorithm) {
            case EC -> 1;
            case RSA, AES -> 3;
            case HMAC -> 4;
        };
    }

    @Test("each kind of key is bound as its row says, on each level that has it")
    void kinds() {
        for (int level : Phone.LEVELS) {
            for (KeyKind kind : KeyKind.values()) {
                Phone phone = new Phone(level);
                boolean credential = kind == KeyKind.PASSCODE_SIGN || kind == KeyKind.VAULT_PASSCODE;
                boolean biometric = BIOMETRIC.contains(kind);
                Reply reply = phone.create(Phone.ALIAS, kind, null);
                if (credential && level < 30) {
                    equal(List.of("java.lang.UnsupportedOperationException"), reply.classes());
                    equal(List.of(), phone.android.keystore.aliases());
                    continue;
                }
                reply.done();
                KeyGenParameterSpec spec = specification(phone);
                equal(credential || biometric, spec.isUserAuthenticationRequired());
                equal(-1, spec.getUserAuthenticationValidityDurationSeconds());
                if (level >= 30 && (credential || biometric)) {
                    equal(credential ? 1 : 2, spec.getUserAuthenticationType());
                }
                if (biometric) {
                    equal(kind != KeyKind.VAULT_BIOMETRIC_ANY, spec.isInvalidatedByBiometricEnrollment());
                }
                if (kind.algorithm == KeyKind.Algorithm.RSA) {
                    equal(2048, spec.getKeySize());
                    equal(List.of("SHA-256", "SHA-1"), List.of(spec.getDigests()));
                }
                // Required, it breaks signing from Android 12 on after an unlock by a weak biometric or a trust agent, and on
                // Samsung phones after an unlock by password.
                equal(false, spec.isUnlockedDeviceRequired());
                equal(true, phone.probe(useOf(kind)).done().flag());
            }
        }
    }

    @Test("the numbers of kinds and uses are those of the contract")
    void numbers() {
        for (int number = 1; number <= 8; number++) {
            equal(KeyKind.values()[number - 1], KeyKind.of(number));
        }
        equal(KeyKind.BIOMETRIC_SIGN, KeyKind.of(1));
        equal(KeyKind.SECRETS, KeyKind.of(8));
        equal(KeyUse.SIGN, KeyUse.of(1));
        equal(KeyUse.MAC, KeyUse.of(4));
        Phone phone = new Phone(36);
        Message.Writer kind = new Message.Writer().text("a").number(9).bytes(null);
        equal(List.of("java.lang.IllegalArgumentException"), phone.run(6, kind).classes());
        Message.Writer use = new Message.Writer().text("a").number(0).bytes(null);
        equal(List.of("java.lang.IllegalArgumentException"), phone.run(8, use).classes());
    }

    @Test("a key of StrongBox says so; without StrongBox, or with a broken one, the trusted environment makes it")
    void strongBox() {
        for (int level : new int[] {28, 30, 31, 36}) {
            for (StrongBox box : StrongBox.values()) {
                for (KeyKind kind : KeyKind.values()) {
                    if (level < 30 && (kind == KeyKind.PASSCODE_SIGN || kind == KeyKind.VAULT_PASSCODE)) {
                        continue;
                    }
                    Phone phone = new Phone(level);
                    phone.android.keystore.strongBox = box;
                    Message.Reader made = phone.create(Phone.ALIAS, kind, null).done();
                    equal(kind.algorithm.isPair, made.bytesOrNull() != null);
                    // The keys that are used for every request stay out of it, because it is slow.
                    boolean wanted = kind != KeyKind.SESSION_SIGN && kind != KeyKind.SECRETS;
                    boolean inBox = box == StrongBox.PRESENT && wanted;
                    equal(level < 31 ? 1L : inBox ? 2L : 1L, made.number());
                    equal(
                            !wanted
                                    ? null
                                    : switch (box) {
                                        case PRESENT -> null;
                                        case ABSENT -> "android.security.keystore.StrongBoxUnavailableException";
                                        case BROKEN -> "java.security.ProviderException";
                                        case USELESS -> "java.security.InvalidKeyException";
                                    },
                            made.textOrNull());
                    equal(inBox, specification(phone).isStrongBoxBacked());
                    made.end();
                    // A first use of a key in StrongBox was tried.
                    equal(inBox ? 1 : 0, phone.android.keystore.begun);
                    equal(true, phone.probe(useOf(kind)).done().flag());
                }
            }
        }
    }

    @Test("after any exception at its first use in StrongBox a key is made anew in the trusted environment")
    void strongBoxAtFirstUse() {
        for (int level : Phone.LEVELS) {
            Phone phone = new Phone(level);
            phone.android.keystore.busy = true;
            Message.Reader made = phone.create(Phone.ALIAS, KeyKind.BIOMETRIC_SIGN, null).done();
            made.bytes();
            equal(1L, made.number());
            equal(
                    level < 31 ? "java.security.ProviderException" : "android.security.keystore.BackendBusyException",
                    made.textOrNull());
            equal(List.of(Phone.ALIAS), phone.android.keystore.aliases());
        }
    }

    @Test("a vault whose StrongBox cannot decrypt opens after a prompt, with the public key that was answered")
    void uselessStrongBox() {
        Phone phone = new Phone(36);
        phone.android.keystore.strongBox = StrongBox.USELESS;
        byte[] spki = phone.create(Phone.ALIAS, KeyKind.VAULT_BIOMETRIC, null).done().bytes();
        check(Arrays.equals(spki, phone.publicKey()), "the answer has the public key of StrongBox");
        byte[] box = phone.done(20, new Message.Writer().bytes(spki).bytes(BYTES)).bytes();
        long id = phone.prompt(1, Phone.ALIAS, 3);
        com.thumbturn.fake.FakeAndroid.tell("match");
        check(Arrays.equals(BYTES, phone.use(phone.success(id).handle(), box)), "the plain bytes differ");
    }

    @Test("a challenge comes back in the first certificate of the chain; secret keys have no chain")
    void attestation() {
        Phone phone = new Phone(36);
        byte[] challenge = new byte[32];
        Arrays.fill(challenge, (byte) 0xa5);
        for (KeyKind kind : new KeyKind[] {KeyKind.BIOMETRIC_SIGN, KeyKind.VAULT_BIOMETRIC}) {
            byte[] spki = phone.create(Phone.ALIAS, kind, challenge).done().bytes();
            Message.Reader chain = phone.done(12, new Message.Writer().text(Phone.ALIAS));
            equal(2L, chain.number());
            byte[] leaf = chain.bytes();
            check(contains(leaf, challenge) && contains(leaf, spki), "the leaf lacks the challenge or the key");
            check(chain.bytes().length > 100, "the root");
            chain.end();
        }
        phone.createKey(KeyKind.SESSION_SIGN);
        equal(1L, phone.done(12, new Message.Writer().text(Phone.ALIAS)).number());
        phone.create(Phone.ALIAS, KeyKind.PIN_HMAC, challenge).done();
        equal(null, specification(phone).getAttestationChallenge());
        equal(0L, phone.done(12, new Message.Writer().text(Phone.ALIAS)).number());
        equal(0L, phone.done(12, new Message.Writer().text("none")).number());
    }

    @Test("keys for attestation that have run out are a thrown answer, told as passing from level 33 on")
    void attestationKeys() {
        for (int level : Phone.LEVELS) {
            Phone phone = new Phone(level);
            phone.android.keystore.attests = false;
            List<Reply.Cause> causes = phone.create(Phone.ALIAS, KeyKind.BIOMETRIC_SIGN, new byte[32]).causes();
            equal(new Reply.Cause("java.security.ProviderException", -1, false), causes.get(0));
            equal(new Reply.Cause("android.security.KeyStoreException", level < 33 ? -1 : 16, level >= 33), causes.get(1));
            equal(false, phone.done(7, new Message.Writer().text(Phone.ALIAS)).flag());
        }
    }

    @Test("a new finger ends exactly the keys that its row says")
    void enrolment() {
        for (int level : Phone.LEVELS) {
            for (KeyKind kind : KeyKind.values()) {
                Phone phone = new Phone(level);
                if (phone.create(Phone.ALIAS, kind, null).kind == Answer.THREW) {
                    continue;
                }
                phone.android.sensor.enrol();
                Reply probe = phone.probe(useOf(kind));
                if (kind == KeyKind.BIOMETRIC_SIGN || kind == KeyKind.VAULT_BIOMETRIC) {
                    equal(DEAD, probe.classes().get(0));
                } else {
                    equal(true, probe.done().flag());
                }
                equal(true, phone.done(7, new Message.Writer().text(Phone.ALIAS)).flag());
            }
        }
    }

    @Test("a sensor that is not ready looks like a new finger, and later does not")
    void lateSensor() {
        Phone phone = new Phone(36);
        phone.createKey(KeyKind.BIOMETRIC_SIGN);
        phone.android.keystore.sensorLate = true;
        equal(DEAD, phone.probe(1).classes().get(0));
        phone.android.keystore.sensorLate = false;
        equal(true, phone.probe(1).done().flag());
    }

    @Test("removing the screen lock ends the locked keys, and no new ones can be made")
    void screenLock() {
        Phone phone = new Phone(36);
        phone.createKey(KeyKind.PASSCODE_SIGN);
        phone.android.sensor.removeScreenLock();
        equal(DEAD, phone.probe(1).classes().get(0));
        equal(
                List.of("java.security.InvalidAlgorithmParameterException", "java.lang.IllegalStateException"),
                phone.create(Phone.ALIAS, KeyKind.PASSCODE_SIGN, null).classes());
        phone.create(Phone.ALIAS, KeyKind.SESSION_SIGN, null).done();
    }

    @Test("a restored backup has no keys: probes say so, uses throw a class of their own")
    void restored() {
        Phone phone = new Phone(36);
        phone.createKey(KeyKind.SESSION_SIGN);
        com.thumbturn.fake.FakeAndroid.tell("restore-backup");
        equal(false, phone.probe(1).done().flag());
        equal(false, phone.done(7, new Message.Writer().text(Phone.ALIAS)).flag());
        equal(null, phone.done(9, new Message.Writer().text(Phone.ALIAS)).bytesOrNull());
        List<String> missing = List.of("com.thumbturn.internal.NoSuchKeyException");
        Message.Writer request = new Message.Writer().text(Phone.ALIAS).bytes(BYTES);
        equal(missing, phone.run(14, request).classes());
        equal(missing, phone.run(15, request).classes());
        equal(missing, phone.run(16, request).classes());
        equal(missing, phone.run(17, new Message.Writer().text(Phone.ALIAS).bytes(new byte[12]).bytes(BYTES)).classes());
    }

    @Test("before the first unlock since boot: refused at once from level 31 on, at the signature before")
    void beforeFirstUnlock() {
        for (int level : Phone.LEVELS) {
            Phone phone = new Phone(level);
            phone.createKey(KeyKind.SESSION_SIGN);
            phone.android.unlockedSinceBoot = false;
            List<String> classes = phone.run(14, new Message.Writer().text(Phone.ALIAS).bytes(BYTES)).classes();
            equal(
                    level < 31
                            ? "java.security.SignatureException"
                            : "android.security.keystore.UserNotAuthenticatedException",
                    classes.get(0));
        }
    }

    @Test("a busy Keystore is a thrown answer, and passes")
    void busy() {
        for (int level : new int[] {30, 31}) {
            Phone phone = new Phone(level);
            phone.createKey(KeyKind.SESSION_SIGN);
            phone.android.keystore.busy = true;
            equal(
                    level < 31 ? "java.security.ProviderException" : "android.security.keystore.BackendBusyException",
                    phone.probe(1).classes().get(0));
            phone.android.keystore.busy = false;
            equal(true, phone.probe(1).done().flag());
        }
    }

    @Test("session keys sign, PIN keys answer the same HMAC, secrets come back, all without a prompt")
    void withoutPrompt() {
        Phone phone = new Phone(28);
        phone.createKey(KeyKind.SESSION_SIGN);
        check(phone.done(14, new Message.Writer().text(Phone.ALIAS).bytes(BYTES)).bytes().length > 60, "a signature");
        phone.createKey(KeyKind.PIN_HMAC);
        byte[] mac = phone.done(15, new Message.Writer().text(Phone.ALIAS).bytes(BYTES)).bytes();
        equal(32, mac.length);
        check(Arrays.equals(mac, phone.done(15, new Message.Writer().text(Phone.ALIAS).bytes(BYTES)).bytes()), "macs differ");
        phone.createKey(KeyKind.SECRETS);
        Message.Reader sealed = phone.done(16, new Message.Writer().text(Phone.ALIAS).bytes(BYTES));
        byte[] iv = sealed.bytes();
        byte[] bytes = sealed.bytes();
        Message.Writer open = new Message.Writer().text(Phone.ALIAS).bytes(iv).bytes(bytes);
        check(Arrays.equals(BYTES, phone.done(17, open).bytes()), "the plain bytes differ");
        equal(0, phone.android.promptsShown);
    }

    @Test("a locked key signs nothing without a prompt")
    void lockedKey() {
        Phone phone = new Phone(36);
        phone.createKey(KeyKind.BIOMETRIC_SIGN);
        List<Reply.Cause> causes = phone.run(14, new Message.Writer().text(Phone.ALIAS).bytes(BYTES)).causes();
        equal("java.security.SignatureException", causes.get(0).type());
        equal(new Reply.Cause("android.security.KeyStoreException", 2, false), causes.get(1));
    }

    @Test("keys are removed by alias or by prefix, and never those of the app itself")
    void removal() {
        Phone phone = new Phone(36);
        for (String alias : new String[] {"key.a.1.session", "key.a.2.session", "key.b.1.session"}) {
            phone.create("thumbturn." + alias, KeyKind.SESSION_SIGN, null).done();
        }
        phone.create("own", KeyKind.SESSION_SIGN, null).done();
        equal(List.of("java.lang.IllegalArgumentException"), phone.run(11, new Message.Writer().text("")).classes());
        equal(2L, phone.done(11, new Message.Writer().text("thumbturn.key.a.")).number());
        phone.done(10, new Message.Writer().text("thumbturn.key.b.1.session")).end();
        phone.done(10, new Message.Writer().text("thumbturn.key.b.1.session")).end();
        equal(List.of("own"), phone.android.keystore.aliases());
    }

    @Test("a Keystore that cannot list or show its keys is a thrown answer, and never no keys")
    void trouble() {
        for (int level : Phone.LEVELS) {
            for (Trouble trouble : new Trouble[] {Trouble.LOOKS, Trouble.ALL}) {
                Phone phone = new Phone(level);
                phone.create("thumbturn.secrets", KeyKind.SECRETS, null).done();
                phone.createKey(KeyKind.BIOMETRIC_SIGN);
                phone.android.keystore.trouble = trouble;
                String thrown = trouble == Trouble.ALL
                        ? "java.security.UnrecoverableKeyException" : "java.security.KeyStoreException";
                boolean throwsNull = 31 <= level && level <= 33;
                equal(
                        throwsNull ? "java.security.KeyStoreException" : thrown,
                        phone.run(11, new Message.Writer().text("thumbturn.key.")).classes().get(0));
                for (int look : new int[] {9, 12}) {
                    equal(thrown, phone.run(look, new Message.Writer().text(Phone.ALIAS)).classes().get(0));
                }
                if (trouble == Trouble.ALL) {
                    equal(thrown, phone.run(7, new Message.Writer().text(Phone.ALIAS)).classes().get(0));
                    equal(
                            "java.security.KeyStoreException",
                            phone.run(10, new Message.Writer().text(Phone.ALIAS)).classes().get(0));
                }
                phone.android.keystore.trouble = Trouble.NONE;
                equal(1L, phone.done(11, new Message.Writer().text("thumbturn.key.")).number());
            }
            Phone empty = new Phone(level);
            equal(0L, empty.done(11, new Message.Writer().text("thumbturn.key.")).number());
        }
    }

    private static boolean contains(byte[] whole, byte[] part) {
        for (int start = 0; start + part.length <= whole.length; start++) {
            if (Arrays.equals(part, Arrays.copyOfRange(whole, start, start + part.length))) {
                return true;
            }
        }
        return false;
    }
}
