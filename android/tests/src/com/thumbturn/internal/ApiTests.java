package com.thumbturn.internal;

import static com.thumbturn.internal.Phone.check;
import static com.thumbturn.internal.Phone.equal;

import com.thumbturn.Action;
import com.thumbturn.Amount;
import com.thumbturn.Approval;
import com.thumbturn.Authenticator;
import com.thumbturn.Credentials;
import com.thumbturn.Device;
import com.thumbturn.Failure;
import com.thumbturn.Grant;
import com.thumbturn.KeyKind;
import com.thumbturn.KeyState;
import com.thumbturn.News;
import com.thumbturn.OfferAnswer;
import com.thumbturn.Policy;
import com.thumbturn.Readiness;
import com.thumbturn.Recovery;
import com.thumbturn.Request;
import com.thumbturn.Response;
import com.thumbturn.Rung;
import com.thumbturn.SignIn;
import com.thumbturn.Start;
import com.thumbturn.Subscription;
import com.thumbturn.Thumbturn;
import com.thumbturn.Vault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The public API over a double of the Swift side. */
final class ApiTests {
    private final ApiPhone app = new ApiPhone(36);

    @Test("the phone and the account are opened at the first use, once, with what the app said")
    void opening() {
        Authenticator.Options options = Authenticator.Options.DEFAULT
                .account("work").resource("https://a.example").resource("https://b.example").sessionsUntilLock();
        Authenticator authenticator =
                app.open(Thumbturn.Options.DEFAULT.title("Acme").confirmsFaces(false)).authenticator(ApiPhone.SERVER, options);
        app.silent();
        CompletableFuture<Grant> grant = authenticator.authenticate("Unlock", Policy.HIGH_RISK, Start.at(Rung.APP_PIN));
        Phone.Call device = app.call(3);
        Message.Reader fields = new Message.Reader(device.request());
        check(fields.text().equals("Acme") && !fields.flag() && fields.number() == 0, "another phone was opened");
        fields.end();
        app.silent();
        app.done(device, new Message.Writer().number(ApiPhone.DEVICE));
        Phone.Call account = app.call(4);
        fields = new Message.Reader(account.request());
        equal(ApiPhone.DEVICE, fields.number());
        equal(ApiPhone.SERVER, fields.text());
        equal("work", fields.text());
        equal(List.of("https://a.example", "https://b.example"), fields.list(Message.Reader::text));
        check(!fields.flag() && fields.number() == 0, "another account was opened");
        app.done(account, new Message.Writer().number(ApiPhone.ACCOUNT));
        Phone.Call call = app.call(10);
        fields = new Message.Reader(call.request());
        equal(ApiPhone.ACCOUNT, fields.number());
        check(fields.text().equals("Unlock") && fields.text().equals("highRisk") && fields.text().equals("appPIN"), "asked");
        fields.end();
        CompletableFuture<Thread> completing = grant.thenApply(each -> Thread.currentThread());
        app.done(call, ApiPhone.grant("appPIN"));
        Grant granted = app.result(grant);
        check(app.result(completing) != Thread.currentThread(), "a future completes on the main thread");
        equal(Rung.APP_PIN, granted.rung);
        equal("token", granted.accessToken);
        equal(Instant.ofEpochSecond(60), granted.expiresAt);
        check(!granted.toString().contains("token"), "a grant prints without its token");
        authenticator.authenticate("Unlock");
        app.call(10);
    }

    @Test("locking is one call of the account, which ends when Swift has done it")
    void locking() {
        Authenticator authenticator = app.authenticator();
        CompletableFuture<Void> locked = authenticator.lockNow();
        Phone.Call call = app.call(50);
        Message.Reader fields = new Message.Reader(call.request());
        equal(ApiPhone.ACCOUNT, fields.number());
        fields.end();
        check(!locked.isDone(), "Swift has not answered yet");
        app.done(call, new Message.Writer());
        app.result(locked);
    }

    @Test("an opening that failed is tried again at the next call")
    void openingAgain() {
        Authenticator authenticator = app.open(Thumbturn.Options.DEFAULT).authenticator(ApiPhone.SERVER);
        CompletableFuture<Void> first = authenticator.revoke();
        app.failed(app.call(3), ApiPhone.failure("platform", "retry"));
        check(((Failure) app.problem(first)).has(Failure.PLATFORM), "the call fails with the opening's failure");
        authenticator.revoke();
        app.answerOpening();
        app.call(31);
    }

    @Test("a failure has its code, its step with the values, and the text for the person")
    void failures() {
        Authenticator authenticator = app.authenticator();
        CompletableFuture<Grant> call = authenticator.authenticate("Unlock");
        app.failed(app.call(10), new Message.Writer()
                .text("paused").text("wait").text(null).number(1500).text("Warte").text(null).text("HTTP 429").text("hint")
                .number(99));
        Failure failure = (Failure) app.problem(call);
        check(failure.has(Failure.PAUSED) && failure.recovery.step == Recovery.Step.WAIT, "the code and the step");
        equal(Duration.ofMillis(1500), failure.recovery.time);
        equal("Warte", failure.getMessage());
        check(failure.button == null && failure.status.equals("HTTP 429") && failure.hint.equals("hint"), "details");
        equal(Instant.ofEpochSecond(99), failure.until);
        check(!failure.toString().contains("Warte"), "a log has no text for the person");
        CompletableFuture<Grant> other = authenticator.authenticate("Unlock");
        app.failed(app.call(10), new Message.Writer()
                .text("lockedOut").text("fallBack").text("appPIN").bytes(null).text("Text").text("PIN").text(null).text(null)
                .bytes(null));
        equal(Rung.APP_PIN, ((Failure) app.problem(other)).recovery.rung);
        CompletableFuture<Grant> broken = authenticator.authenticate("Unlock");
        app.done(app.call(10), new Message.Writer().text("toe"));
        check(app.problem(broken) instanceof IllegalArgumentException, "an answer of another shape is no grant");
    }

    @Test("cancelling a future cancels its call, and one that has not begun never begins")
    void cancelling() {
        Authenticator authenticator = app.authenticator();
        CompletableFuture<Grant> call = authenticator.authenticate("Unlock");
        long id = app.call(10).id();
        check(call.cancel(false), "it was running");
        equal(id, new Message.Reader(app.call(1).request()).number());
        check(!call.cancel(false) || call.isCancelled(), "twice is once");
        Authenticator later = app.open(Thumbturn.Options.DEFAULT).authenticator(ApiPhone.SERVER);
        CompletableFuture<Void> early = later.revoke();
        early.cancel(false);
        app.answerOpening();
        app.silent();
    }

    @Test("what the person chose is for the call whose future the app gives, also if another one has the same words")
    void choosing() {
        Authenticator authenticator = app.authenticator();
        CompletableFuture<Grant> first = authenticator.authenticate("Pay", Policy.HIGH_RISK, Start.SCREEN);
        final long firstID = app.call(10).id();
        CompletableFuture<Grant> second = authenticator.authenticate("Pay", Policy.TRANSACTION, Start.SCREEN);
        final Phone.Call secondCall = app.call(10);
        authenticator.useAnotherWay(second);
        chosen(11, secondCall.id());
        authenticator.prompt(first);
        chosen(12, firstID);
        app.done(secondCall, ApiPhone.grant("appPIN"));
        app.result(second);
        authenticator.useAnotherWay(second);
        first.cancel(false);
        app.call(1);
        authenticator.prompt(first);
        app.silent();

        SignIn screen = request -> CompletableFuture.completedFuture(null);
        CompletableFuture<Device> enrolling = authenticator.enrol(screen, "Set up");
        long enrolment = app.call(8).id();
        authenticator.useAnotherWay(enrolling.orTimeout(1, TimeUnit.HOURS));
        chosen(11, enrolment);
        Credentials wiped = Credentials.password("ada", "secret");
        wiped.wipe();
        authenticator.useAnotherWay(authenticator.signIn(wiped, "Sign in"));
        app.silent();
    }

    @Test("what the person chose before an account or a vault is open is told once the call has begun, in its order")
    void choosingEarly() {
        Thumbturn phone = app.open(Thumbturn.Options.DEFAULT);
        Vault vault = phone.vault("designs", Vault.Access.USER_PRESENCE, Policy.STORED_CREDENTIAL);
        CompletableFuture<String> use =
                vault.unlocked("Open", Start.SCREEN, open -> CompletableFuture.completedFuture("opened"));
        Authenticator authenticator = phone.authenticator(ApiPhone.SERVER);
        app.done(app.call(3), new Message.Writer().number(ApiPhone.DEVICE));
        Phone.Call opening = app.call(5);
        vault.prompt(use);
        vault.useAnotherWay(use);
        CompletableFuture<Void> cancelled = vault.delete();
        vault.prompt(cancelled);
        cancelled.cancel(false);
        app.silent();
        app.done(opening, new Message.Writer().number(7));
        long id = app.call(34).id();
        chosen(12, id);
        chosen(11, id);
        app.silent();
        vault.useAnotherWay(use);
        chosen(11, id);
        check(!use.isDone(), "it goes on");

        CompletableFuture<Void> failing = authenticator.revoke();
        Phone.Call account = app.call(4);
        authenticator.prompt(failing);
        app.failed(account, ApiPhone.failure("insecureServer", "report"));
        app.problem(failing);
        authenticator.prompt(failing);
        app.silent();
    }

    @Test("a future that is no call of the account or vault is refused with a sentence that says which one to give")
    void choosingForNothing() {
        Authenticator authenticator = app.authenticator();
        Thumbturn phone = app.open(Thumbturn.Options.DEFAULT);
        Vault vault = phone.vault("designs", Vault.Access.USER_PRESENCE, Policy.STORED_CREDENTIAL);
        CompletableFuture<Grant> call = authenticator.authenticate("Unlock");
        app.call(10);
        List<CompletableFuture<?>> others = List.of(
                call.thenApply(grant -> grant.rung), call.copy(), new CompletableFuture<Grant>(), phone.diagnostics());
        app.call(3);
        for (CompletableFuture<?> other : others) {
            refused("the authenticator", () -> authenticator.useAnotherWay(other));
            refused("the authenticator", () -> authenticator.prompt(other));
        }
        refused("the vault", () -> vault.useAnotherWay(call));
        refused("the vault", () -> vault.prompt(call));
        try {
            authenticator.prompt(null);
            throw new AssertionError("null was taken");
        } catch (NullPointerException refused) {
            equal("call", refused.getMessage());
        }
        app.silent();
    }

    private void chosen(int operation, long id) {
        Message.Reader fields = new Message.Reader(app.call(operation).request());
        equal(id, fields.number());
        fields.end();
    }

    private static void refused(String name, Runnable choice) {
        try {
            choice.run();
        } catch (IllegalArgumentException refused) {
            equal("the future is not a call of " + name
                    + ": pass one that its methods returned, not one that was made from it, for example by thenApply",
                    refused.getMessage());
            return;
        }
        throw new AssertionError("another future was taken");
    }

    @Test("a closed authenticator is forgotten by Swift and refuses calls")
    void closing() {
        Authenticator authenticator = app.authenticator();
        authenticator.close();
        equal(ApiPhone.ACCOUNT, new Message.Reader(app.call(2).request()).number());
        equal("the authenticator was closed", app.problem(authenticator.revoke()).getMessage());
        authenticator.close();
        app.silent();
    }

    @Test("on a phone that was closed, what was made before goes on, with the PIN screen, and nothing else is made")
    void closedPhone() {
        Thumbturn phone = app.open(Thumbturn.Options.DEFAULT.pinEntry(new com.thumbturn.PinEntry() {
            @Override
            public CompletableFuture<char[]> enter(com.thumbturn.PinRequest request) {
                return CompletableFuture.completedFuture("739150".toCharArray());
            }

            @Override
            public CompletableFuture<char[]> choose() {
                return CompletableFuture.completedFuture(null);
            }
        }));
        Authenticator used = phone.authenticator(ApiPhone.SERVER);
        Vault unused = phone.vault("designs", Vault.Access.USER_PRESENCE, Policy.STORED_CREDENTIAL);
        used.revoke();
        Phone.Call device = app.call(3);
        Message.Reader fields = new Message.Reader(device.request());
        check(fields.textOrNull() == null && fields.flag(), "no title");
        final long screen = fields.number();
        app.done(device, new Message.Writer().number(ApiPhone.DEVICE));
        app.done(app.call(4), new Message.Writer().number(ApiPhone.ACCOUNT));
        app.call(31);
        phone.close();
        phone.close();
        app.silent();
        equal("the phone was closed", app.problem(phone.diagnostics()).getMessage());
        equal("the phone was closed", app.problem(phone.authenticator(ApiPhone.SERVER).revoke()).getMessage());

        used.revoke();
        app.call(31);
        Message.Reader entered = pin(screen).done();
        check(entered.number() == 1 && entered.text().equals("739150"), "the PIN screen stays");
        unused.contains("token");
        Phone.Call opening = app.call(5);
        equal(ApiPhone.DEVICE, new Message.Reader(opening.request()).number());
        app.done(opening, new Message.Writer().number(7));
        app.call(38);

        used.close();
        used.close();
        equal(ApiPhone.ACCOUNT, new Message.Reader(app.call(2).request()).number());
        pin(screen).done();
        app.silent();
        unused.close();
        equal(7L, new Message.Reader(app.call(2).request()).number());
        equal(ApiPhone.DEVICE, new Message.Reader(app.call(2).request()).number());
        equal(List.of("java.lang.IllegalStateException"), pin(screen).classes());
        app.silent();
    }

    private Reply pin(long screen) {
        long entered = app.phone.begin(21, new Message.Writer().number(screen).text("Unlock").text("Cancel").number(0));
        app.phone.android.main.settle();
        return app.phone.next(entered);
    }

    @Test("a failure is found in whatever a future ended with, and a null is refused by its name")
    void javaCallers() {
        Authenticator authenticator = app.authenticator();
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        CompletableFuture<Rung> chained = authenticator.authenticate("Unlock").thenApply(grant -> grant.rung);
        chained.whenComplete((rung, thrown) -> ended.complete(thrown));
        app.failed(app.call(10), ApiPhone.failure("notMatched", "retry"));
        Throwable thrown = app.result(ended);
        check(thrown instanceof java.util.concurrent.CompletionException, "the JDK wraps it");
        check(Failure.of(thrown).has(Failure.NOT_MATCHED) && Failure.of(thrown.getCause()) == thrown.getCause(), "the failure");
        check(Failure.of(new java.util.concurrent.ExecutionException(thrown)) == thrown.getCause(), "wrapped twice");
        check(Failure.of(null) == null && Failure.of(new IllegalStateException()) == null, "no failure");
        try {
            authenticator.authenticate(null);
            throw new AssertionError("null was taken");
        } catch (NullPointerException refused) {
            equal("reason", refused.getMessage());
        }
        app.silent();
        equal("appPIN", Rung.APP_PIN.code);
        equal("openSettings", Recovery.Step.OPEN_SETTINGS.code);
        equal("pin", KeyKind.PIN.code);
    }

    @Test("readiness, devices and approvals are read whole, and handed back as they came")
    void values() {
        Authenticator authenticator = app.authenticator();
        CompletableFuture<Readiness> readiness = authenticator.readiness();
        Message.Writer fields = new Message.Writer().text("appPIN");
        fields.list(List.of("appPIN", "fullCredentials"), Message.Writer::text).flag(true).text("face").text("Set up").text("ready");
        fields.flag(true).fields(ApiPhone.failure("biometryNotEnrolled", "openSettings"));
        fields.number(2).text("biometric").text("invalidated").text("enrolmentChanged").bytes(null).text("Again");
        fields.text("pin").text("paused").text(null).number(30_000).text("Later");
        app.done(app.call(7), fields);
        Readiness ready = app.result(readiness);
        check(ready.nextRung == Rung.APP_PIN && ready.isEnrolled && ready.sensor.equals("face"), "readiness");
        equal(Recovery.Step.OPEN_SETTINGS, ready.sensorObstacle.recovery.step);
        equal("enrolmentChanged", ready.keys.get(KeyKind.BIOMETRIC).loss);
        equal(KeyState.Kind.PAUSED, ready.keys.get(KeyKind.PIN).kind);
        equal(Duration.ofSeconds(30), ready.keys.get(KeyKind.PIN).pause);

        CompletableFuture<List<Device>> devices = authenticator.devices();
        Message.Writer device = new Message.Writer().text("id").text("Tablet").number(5).flag(false).flag(true);
        device.number(1).text("k").text("passcode").flag(false);
        app.done(app.call(28), new Message.Writer().number(1).fields(device));
        Device listed = app.result(devices).get(0);
        check(listed.name.equals("Tablet") && !listed.isCurrent && listed.onlySignsIn && !listed.keys.get(0).isActive, "device");
        authenticator.remove(listed, "Remove");
        Message.Writer expected =
                new Message.Writer().number(ApiPhone.ACCOUNT).fields(device).text("Remove").text("unlock");
        check(Arrays.equals(expected.toBytes(), app.call(30).request()), "the device is handed back");

        CompletableFuture<List<Approval>> approvals = authenticator.approvals();
        Message.Writer approval = new Message.Writer().bytes(new byte[] {1, 2}).text("a").text("open").flag(false).text("Acme");
        approval.text("Payment").number(1).text("Amount").text("12.50 EUR").text(null).number(9);
        app.done(app.call(19), new Message.Writer().number(1).fields(approval));
        Approval shown = app.result(approvals).get(0);
        check(shown.lines.get(0).value.equals("12.50 EUR") && shown.caution == null, "approval");
        check(!shown.toString().contains("12.50"), "an approval prints without its lines");
        authenticator.approve(shown);
        check(Arrays.equals(
                new Message.Writer().number(ApiPhone.ACCOUNT).bytes(new byte[] {1, 2}).toBytes(), app.call(21).request()), "bytes");
    }

    @Test("requests carry their action and amount, and a null where there is none")
    void requests() {
        Authenticator authenticator = app.authenticator();
        authenticator.stepUp(Action.NEW_RECIPIENT, new Amount(1250, "EUR"), "Pay", Policy.HIGH_RISK);
        check(Arrays.equals(
                new Message.Writer().number(ApiPhone.ACCOUNT).text("new-recipient").number(0).flag(false).number(1250).text("EUR")
                        .text("Pay").text("highRisk").toBytes(),
                app.call(15).request()), "step-up");
        Request request = Request.of("POST", "https://a.example/x").header("A", "b").body(new byte[] {7});
        CompletableFuture<Response> sent = authenticator.send(request);
        Phone.Call call = app.call(16);
        Message.Writer written = new Message.Writer().number(ApiPhone.ACCOUNT).text("POST").text("https://a.example/x");
        written.number(1).text("A").text("b").bytes(new byte[] {7}).text(null).bytes(null).text("").text("highRisk");
        check(Arrays.equals(written.toBytes(), call.request()), "request");
        app.done(call, new Message.Writer().number(200).number(1).text("c").text("d").bytes(new byte[] {9}));
        Response response = app.result(sent);
        check(response.status == 200 && response.headers.equals(Map.of("c", "d")) && response.body()[0] == 9, "response");
        CompletableFuture<Map<String, String>> again = authenticator.authorizeAfter(request, 401, Map.of("e", "f"));
        app.done(app.call(18), new Message.Writer().flag(false).number(0));
        check(app.result(again).isEmpty(), "the answer stands");
    }

    @Test("the PIN screen shows on the main thread, gives its digits, and has its array wiped")
    void pin() {
        List<String> shown = new ArrayList<>();
        List<CompletableFuture<char[]>> screens = new ArrayList<>();
        Thumbturn.Options options = Thumbturn.Options.DEFAULT.pinEntry(new com.thumbturn.PinEntry() {
            @Override
            public CompletableFuture<char[]> enter(com.thumbturn.PinRequest request) {
                shown.add(request.reason + " " + request.cancelButton + " " + request.wrongInARow);
                return open();
            }

            @Override
            public CompletableFuture<char[]> choose() {
                shown.add("choose");
                return open();
            }

            private CompletableFuture<char[]> open() {
                screens.add(new CompletableFuture<>());
                return screens.get(screens.size() - 1);
            }
        });
        app.open(options).authenticator(ApiPhone.SERVER).revoke();
        Message.Reader opening = new Message.Reader(app.call(3).request());
        check(opening.textOrNull() == null && opening.flag(), "no title");
        long screen = opening.number();
        check(screen > 0, "the app has a PIN screen");
        Phone phone = app.phone;

        long entered = phone.begin(21, new Message.Writer().number(screen).text("Unlock").text("Cancel").number(2));
        phone.android.main.settle();
        equal(List.of("Unlock Cancel 2"), shown);
        char[] digits = "739150".toCharArray();
        screens.get(0).complete(digits);
        check(Arrays.equals(new char[6], digits), "the array is wiped");
        Message.Reader answer = phone.next(entered).done();
        check(answer.number() == 1 && answer.text().equals("739150"), "the digits came");
        answer.end();

        long cancelled = phone.begin(22, new Message.Writer().number(screen));
        phone.android.main.settle();
        screens.get(1).complete(null);
        equal(2L, phone.next(cancelled).done().number());

        long dismissed = phone.begin(22, new Message.Writer().number(screen));
        phone.android.main.settle();
        phone.cancel(dismissed);
        phone.android.main.settle();
        check(screens.get(2).isCancelled(), "the screen is told to go");
        equal(2L, phone.next(dismissed).done().number());

        for (String wrong : new String[] {"12345", "12345x", "1".repeat(33), "73915٠"}) {
            long refused = phone.begin(22, new Message.Writer().number(screen));
            phone.android.main.settle();
            char[] array = wrong.toCharArray();
            screens.get(screens.size() - 1).complete(array);
            answer = phone.next(refused).done();
            check(answer.number() == 1 && answer.text().equals(wrong), "Swift says what is no PIN");
            check(Arrays.equals(new char[array.length], array), "the array is wiped");
        }
        phone.checkWiped();

        long broken = phone.begin(22, new Message.Writer().number(screen));
        phone.android.main.settle();
        screens.get(screens.size() - 1).completeExceptionally(new UnsupportedOperationException());
        equal(List.of("java.lang.UnsupportedOperationException"), phone.next(broken).classes());
        long unknown = phone.begin(22, new Message.Writer().number(screen + 1000));
        phone.android.main.settle();
        equal(List.of("java.lang.IllegalStateException"), phone.next(unknown).classes());
    }

    @Test("credentials go with the call; a screen is asked until the call has ended")
    void signIn() {
        Authenticator authenticator = app.authenticator();
        authenticator.enrol(Credentials.password("ada", "secret"), "Set up");
        Message.Writer expected = new Message.Writer().number(ApiPhone.ACCOUNT).number(1).text("ada").text("secret").text(null);
        expected.text("unlock").text(null).text("Set up").text("keep");
        check(Arrays.equals(expected.toBytes(), app.call(8).request()), "the credentials are in the request");
        check(!Credentials.password("ada", "secret").toString().contains("secret"), "credentials print as their type");

        List<String> asked = new ArrayList<>();
        SignIn screen = request -> {
            asked.add(request.reason + " " + request.keyThumbprint + " " + request.purpose + " " + request.freshSince);
            return CompletableFuture.completedFuture(Credentials.idToken("jwt"));
        };
        CompletableFuture<Grant> call = authenticator.signIn(screen, "Sign in");
        Phone.Call made = app.call(13);
        Message.Reader fields = new Message.Reader(made.request());
        check(fields.number() == ApiPhone.ACCOUNT && fields.number() == 5, "a screen");
        long number = fields.number();
        long shown = app.phone.begin(23, new Message.Writer().number(number).text("Sign in").text("key").text("new-pin").text("1790000000"));
        app.phone.android.main.settle();
        Message.Reader answer = app.phone.next(shown).done();
        check(answer.number() == 1 && answer.number() == 3 && answer.text().equals("jwt"), "the token came");
        equal(List.of("Sign in key new-pin 1790000000"), asked);
        app.done(made, ApiPhone.grant("fullCredentials"));
        equal(Rung.FULL_CREDENTIALS, app.result(call).rung);
        long late = app.phone.begin(23, new Message.Writer().number(number).text("Sign in").text("key").text("new-pin").text("1790000000"));
        app.phone.android.main.settle();
        equal(List.of("java.lang.IllegalStateException"), app.phone.next(late).classes());
    }

    @Test("a vault is open while the body runs, and closes with its value or its failure")
    void vault() {
        Vault vault = app.open(Thumbturn.Options.DEFAULT).vault("designs", Vault.Access.USER_PRESENCE, Policy.STORED_CREDENTIAL);
        CompletableFuture<String> secret =
                vault.unlocked("Open", open -> open.read("token").thenApply(bytes -> open.rung + " " + bytes.length));
        app.done(app.call(3), new Message.Writer().number(1));
        app.done(app.call(5), new Message.Writer().number(7));
        Phone.Call use = app.call(34);
        app.news(use, new Message.Writer().number(8).text("biometric"));
        Phone.Call read = app.call(35);
        equal(8L, new Message.Reader(read.request()).number());
        app.done(read, new Message.Writer().bytes(new byte[] {1, 2}));
        app.phone.android.main.settle();
        equal(8L, new Message.Reader(app.call(2).request()).number());
        check(!secret.isDone(), "it ends with the vault");
        app.done(use, new Message.Writer());
        equal("BIOMETRIC 2", app.result(secret));
        app.silent();

        CompletableFuture<String> failing = vault.unlocked("Open", open -> {
            throw new UnsupportedOperationException();
        });
        use = app.call(34);
        app.news(use, new Message.Writer().number(9).text("biometric"));
        equal(9L, new Message.Reader(app.call(2).request()).number());
        check(app.problem(failing) instanceof UnsupportedOperationException, "the body's own failure");
        app.done(use, new Message.Writer());
        app.silent();
    }

    @Test("a cancelled unlock runs no body, and the main thread waits for none that runs")
    void cancelledVault() {
        Vault vault = app.open(Thumbturn.Options.DEFAULT).vault("designs", Vault.Access.USER_PRESENCE, Policy.STORED_CREDENTIAL);
        List<String> bodies = new ArrayList<>();
        CompletableFuture<String> ending = new CompletableFuture<>();
        CompletableFuture<String> running = vault.unlocked("Open", open -> {
            bodies.add("running");
            return ending;
        });
        app.done(app.call(3), new Message.Writer().number(1));
        app.done(app.call(5), new Message.Writer().number(7));
        Phone.Call use = app.call(34);
        app.news(use, new Message.Writer().number(8).text("biometric"));
        running.cancel(false);
        equal(use.id(), new Message.Reader(app.call(1).request()).number());
        app.done(use, new Message.Writer());
        app.silent();
        ending.complete("late");
        equal(8L, new Message.Reader(app.call(2).request()).number());

        CompletableFuture<String> early = vault.unlocked("Open", open -> {
            bodies.add("early");
            return ending;
        });
        use = app.call(34);
        early.cancel(false);
        equal(use.id(), new Message.Reader(app.call(1).request()).number());
        app.news(use, new Message.Writer().number(9).text("biometric"));
        equal(List.of("running"), bodies);
        app.done(use, new Message.Writer());
        app.silent();
    }

    @Test("news of each kind is heard until the subscription is closed")
    void news() {
        Authenticator authenticator = app.authenticator();
        List<News> heard = new ArrayList<>();
        Subscription subscription = authenticator.news(heard::add);
        Phone.Call call = app.call(6);
        app.news(call, new Message.Writer().number(1).text("appPIN").text("Use PIN"));
        app.news(call, new Message.Writer().number(2).text("tooShort").text("Longer"));
        app.news(call, new Message.Writer().number(3).fields(ApiPhone.failure("biometryNotEnrolled", "openSettings")));
        app.news(call, new Message.Writer().number(4).text("biometric").text("appPIN").text("timeout").number(250).text("PIN"));
        app.news(call, new Message.Writer().number(5).text("unlock").number(3));
        app.news(call, new Message.Writer().number(6).text("unlock").number(3).text(null));
        app.news(call, new Message.Writer().number(7).text("hint shown"));
        equal(List.of(News.Kind.values()), heard.stream().map(each -> each.kind).toList());
        check(heard.get(0).rung == Rung.APP_PIN && heard.get(0).text.equals("Use PIN"), "hint");
        check(heard.get(3).from == Rung.BIOMETRIC && heard.get(3).transition.toMillis() == 250, "moved");
        check(heard.get(5).number == 3 && heard.get(5).code == null, "ended");
        subscription.close();
        equal(call.id(), new Message.Reader(app.call(1).request()).number());
        app.news(call, new Message.Writer().number(7).text("late"));
        equal(7, heard.size());
    }

    @Test("what the person cancelled in the app's future is a cancellation")
    void cancelledScreen() {
        CompletableFuture<Credentials> cancelled = new CompletableFuture<>();
        cancelled.cancel(false);
        Authenticator authenticator = app.authenticator();
        authenticator.signIn(request -> cancelled, "Sign in");
        Message.Reader fields = new Message.Reader(app.call(13).request());
        check(fields.number() == ApiPhone.ACCOUNT && fields.number() == 5, "a screen");
        long shown = app.phone.begin(23, new Message.Writer().number(fields.number()).text("Sign in").text("key").text("sign-in").text(null));
        app.phone.android.main.settle();
        equal(2L, app.phone.next(shown).done().number());
    }

    @Test("a vault that has ended is asked for all the same, so that its failure says what happened")
    void endedVault() {
        Vault vault = app.open(Thumbturn.Options.DEFAULT).vault("designs", Vault.Access.USER_PRESENCE, Policy.STORED_CREDENTIAL);
        List<com.thumbturn.OpenVault> kept = new ArrayList<>();
        vault.unlocked("Open", open -> {
            kept.add(open);
            return CompletableFuture.completedFuture(null);
        });
        app.done(app.call(3), new Message.Writer().number(1));
        app.done(app.call(5), new Message.Writer().number(7));
        Phone.Call use = app.call(34);
        app.news(use, new Message.Writer().number(8).text("biometric"));
        app.call(2);
        app.done(use, new Message.Writer());
        CompletableFuture<byte[]> late = kept.get(0).read("token");
        Phone.Call read = app.call(35);
        equal(8L, new Message.Reader(read.request()).number());
        app.failed(read, ApiPhone.failure("vaultClosed", "retry"));
        check(((Failure) app.problem(late)).has(Failure.VAULT_CLOSED), "the failure's name");
    }

    @Test("whatever ends a future from outside ends its call, and the last answer then changes nothing")
    void endedFromOutside() {
        Authenticator authenticator = app.authenticator();
        List<Function<CompletableFuture<Grant>, CompletableFuture<Grant>>> endings = List.of(
                call -> call.orTimeout(1, TimeUnit.MILLISECONDS),
                call -> call.completeOnTimeout(null, 1, TimeUnit.MILLISECONDS),
                call -> call.completeAsync(() -> null),
                call -> {
                    call.complete(null);
                    return call;
                },
                call -> {
                    call.completeExceptionally(new IllegalStateException());
                    return call;
                });
        for (Function<CompletableFuture<Grant>, CompletableFuture<Grant>> ending : endings) {
            CompletableFuture<Grant> call = authenticator.authenticate("Unlock");
            Phone.Call begun = app.call(10);
            ending.apply(call);
            equal(begun.id(), new Message.Reader(app.call(1).request()).number());
            check(call.isDone(), "it has ended");
            app.failed(begun, ApiPhone.failure("cancelledByApp", "retry"));
            app.silent();
        }
        CompletableFuture<Grant> succeeded = authenticator.authenticate("Unlock");
        app.done(app.call(10), ApiPhone.grant("biometric"));
        app.result(succeeded);
        check(!succeeded.cancel(false), "too late");
        app.silent();
    }

    @Test("a subscription that cannot hear tells why, and one that is closed just ends")
    void endedSubscription() {
        Authenticator later = app.open(Thumbturn.Options.DEFAULT).authenticator(ApiPhone.SERVER);
        Subscription failing = later.news(each -> {});
        app.failed(app.call(3), ApiPhone.failure("notYetReadable", "retry"));
        check(((Failure) app.problem(failing.ended())).has(Failure.NOT_YET_READABLE), "the opening failed");

        Authenticator authenticator = app.authenticator();
        Subscription throwing = authenticator.news(each -> {
            throw new UnsupportedOperationException();
        });
        Phone.Call call = app.call(6);
        app.news(call, new Message.Writer().number(7).text("hint shown"));
        check(app.problem(throwing.ended()) instanceof UnsupportedOperationException, "the listener threw");
        equal(call.id(), new Message.Reader(app.call(1).request()).number());

        Subscription closed = authenticator.news(each -> {});
        app.call(6);
        check(!closed.ended().isDone(), "it hears");
        closed.close();
        app.result(closed.ended());
        app.call(1);
        Subscription ended = authenticator.news(each -> {});
        app.done(app.call(6), new Message.Writer());
        app.result(ended.ended());
        app.silent();
    }

    @Test("what crosses the bridge is wiped, and what the app gave or got is not")
    void wiped() {
        Authenticator authenticator = app.authenticator();
        char[] password = "secret".toCharArray();
        Credentials credentials = Credentials.password("ada", password, null);
        equal("secret", new String(password));
        CompletableFuture<Grant> granted = authenticator.signIn(credentials, "Sign in");
        Message.Writer expected = new Message.Writer().number(ApiPhone.ACCOUNT).number(1).text("ada").text("secret").text(null);
        Phone.Call call = app.call(13);
        check(Arrays.equals(expected.text("Sign in").toBytes(), call.request()), "the credentials are in the request");
        credentials.wipe();
        app.done(call, ApiPhone.grant("fullCredentials"));
        equal("token", app.result(granted).accessToken);
        check(app.problem(authenticator.signIn(credentials, "Sign in")) instanceof IllegalStateException, "they were wiped");
        app.silent();

        Vault vault = app.open(Thumbturn.Options.DEFAULT).vault("designs", Vault.Access.USER_PRESENCE, Policy.STORED_CREDENTIAL);
        byte[] given = {1, 2, 3};
        CompletableFuture<byte[]> got =
                vault.unlocked("Open", open -> open.save("token", given).thenCompose(saved -> open.read("token")));
        app.done(app.call(3), new Message.Writer().number(1));
        app.done(app.call(5), new Message.Writer().number(7));
        Phone.Call use = app.call(34);
        app.news(use, new Message.Writer().number(8).text("biometric"));
        app.done(app.call(36), new Message.Writer());
        app.done(app.call(35), new Message.Writer().bytes(given));
        app.call(2);
        app.done(use, new Message.Writer());
        check(Arrays.equals(new byte[] {1, 2, 3}, app.result(got)) && given[0] == 1, "the app's own arrays stay");

        CompletableFuture<Void> failing = authenticator.revoke();
        app.failed(app.call(31), ApiPhone.failure("platform", "report"));
        app.problem(failing);
        CompletableFuture<Void> cancelled = authenticator.revoke();
        Phone.Call late = app.call(31);
        cancelled.cancel(false);
        app.call(1);
        app.done(late, new Message.Writer().bytes(given));
        app.phone.checkWiped();
    }

    @Test("what a person chooses is asked of the account and of the vault alike")
    void choices() {
        Authenticator authenticator = app.authenticator();
        char[] password = "correct horse battery".toCharArray();
        authenticator.changePassword(password, "Change your password");
        asked(43, ApiPhone.ACCOUNT, new Message.Writer().text("correct horse battery").text("Change your password").text("highRisk"));
        equal("correct horse battery", new String(password));
        authenticator.removeBiometricKey("Turn off");
        asked(44, ApiPhone.ACCOUNT, new Message.Writer().text("Turn off").text("unlock"));
        authenticator.declineBiometrics();
        asked(45, ApiPhone.ACCOUNT, new Message.Writer());
        authenticator.requireStrongerRungNextTime();
        asked(46, ApiPhone.ACCOUNT, new Message.Writer());
        authenticator.prefer(Rung.APP_PIN);
        asked(47, ApiPhone.ACCOUNT, new Message.Writer().text("appPIN"));
        authenticator.prefer(null);
        asked(47, ApiPhone.ACCOUNT, new Message.Writer().text(null));
        CompletableFuture<Boolean> offered = authenticator.shouldOfferBiometrics();
        app.done(asked(48, ApiPhone.ACCOUNT, new Message.Writer().text("unlock")), new Message.Writer().flag(true));
        check(app.result(offered), "it is due");
        for (OfferAnswer answer : OfferAnswer.values()) {
            authenticator.answerBiometricOffer(answer);
            String name = List.of("setUp", "notNow", "never").get(answer.ordinal());
            asked(49, ApiPhone.ACCOUNT, new Message.Writer().text(name));
        }
        Thumbturn phone = app.open(Thumbturn.Options.DEFAULT);
        Vault vault = phone.vault("designs", Vault.Access.USER_PRESENCE, Policy.STORED_CREDENTIAL);
        vault.declineBiometrics();
        app.done(app.call(3), new Message.Writer().number(1));
        app.done(app.call(5), new Message.Writer().number(7));
        asked(45, 7, new Message.Writer());
        vault.requireStrongerRungNextTime();
        asked(46, 7, new Message.Writer());
        vault.prefer(Rung.DEVICE_PASSCODE);
        asked(47, 7, new Message.Writer().text("devicePasscode"));
        vault.shouldOfferBiometrics();
        asked(48, 7, new Message.Writer().text("unlock"));
        vault.answerBiometricOffer(OfferAnswer.NEVER);
        asked(49, 7, new Message.Writer().text("never"));
        CompletableFuture<String> facts = phone.diagnostics();
        app.done(asked(42, 1, new Message.Writer()), new Message.Writer().text("phone: Pixel"));
        equal("phone: Pixel", app.result(facts));
    }

    private Phone.Call asked(int operation, long handle, Message.Writer fields) {
        Phone.Call call = app.call(operation);
        check(Arrays.equals(new Message.Writer().number(handle).fields(fields).toBytes(), call.request()), "another request");
        return call;
    }

    @Test("the settings that a failure leads to are opened, and false is told where there are none")
    void settings() {
        for (int level : Phone.LEVELS) {
            ApiPhone app = new ApiPhone(level);
            com.thumbturn.fake.FakeApplication context = app.phone.android.application;
            List<android.content.Intent> started = app.phone.android.started;
            check(Thumbturn.openSettings(context, failure(app, "biometryNotEnrolled", "openSettings")), "an enrolment");
            String action = level < 30 ? "android.settings.FINGERPRINT_ENROLL" : "android.settings.BIOMETRIC_ENROLL";
            equal(action, started.get(0).getAction());
            equal(level < 30 ? -1 : 15, started.get(0).getIntExtra("android.provider.extra.BIOMETRIC_AUTHENTICATORS_ALLOWED", -1));
            equal(android.content.Intent.FLAG_ACTIVITY_NEW_TASK, started.get(0).getFlags());
            check(Thumbturn.openSettings(context, failure(app, "passcodeNotSet", "setPasscode")), "a screen lock");
            check(Thumbturn.openSettings(context, failure(app, "biometryUnavailable", "openSettings")), "a switch");
            app.phone.android.absentActivities.add(action);
            check(Thumbturn.openSettings(context, failure(app, "biometryNotEnrolled", "openSettings")), "without an enrolment");
            for (int index = 1; index <= 3; index++) {
                equal("android.settings.SECURITY_SETTINGS", started.get(index).getAction());
            }
            check(!Thumbturn.openSettings(context, failure(app, "notMatched", "retry")), "another step");
            equal(4, started.size());
            app.phone.android.absentActivities.add("android.settings.SECURITY_SETTINGS");
            check(!Thumbturn.openSettings(context, failure(app, "passcodeNotSet", "setPasscode")), "no screen");
        }
    }

    private static Failure failure(ApiPhone app, String code, String step) {
        CompletableFuture<Void> failing = app.open(Thumbturn.Options.DEFAULT).authenticator(ApiPhone.SERVER).revoke();
        app.failed(app.call(3), ApiPhone.failure(code, step));
        return (Failure) app.problem(failing);
    }
}
