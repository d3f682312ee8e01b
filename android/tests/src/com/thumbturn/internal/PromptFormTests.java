package com.thumbturn.internal;

import static com.thumbturn.internal.Phone.check;
import static com.thumbturn.internal.Phone.equal;

import com.thumbturn.fake.FakePrompt;
import java.util.List;

/** Every row of the table of prompts, on every level, as the system is told it. */
final class PromptFormTests {
    @Test("each level and rung has exactly one row")
    void oneRow() {
        for (int level : Phone.LEVELS) {
            for (PromptForm.Rung rung : PromptForm.Rung.values()) {
                int rows = 0;
                for (PromptForm.Row row : PromptForm.ROWS) {
                    rows += row.rung == rung && row.from <= level && level <= row.to ? 1 : 0;
                }
                equal(1, rows);
            }
        }
    }

    @Test("a biometric prompt has a negative button, and says what each level can be told")
    void biometric() {
        for (int level : Phone.LEVELS) {
            Phone phone = new Phone(level);
            phone.createKey(KeyKind.BIOMETRIC_SIGN);
            phone.prompt(1, Phone.ALIAS, 1);
            FakePrompt shown = phone.android.prompt();
            equal("Acme", shown.title);
            equal("Unlock Acme", shown.description);
            equal("Use PIN", shown.negative);
            equal(level < 30 ? 0 : 15, shown.authenticators);
            equal(level < 29 ? null : Boolean.FALSE, shown.confirmation);
        }
    }

    @Test("a prompt for the credential has no negative button, and none is shown on 28 and 29")
    void credential() {
        for (int level : Phone.LEVELS) {
            Phone phone = new Phone(level);
            if (level < 30) {
                long id = phone.beginPrompt(2, null, 0);
                equal(List.of("java.lang.UnsupportedOperationException"), phone.next(id).classes());
                equal(0, phone.android.promptsShown);
                continue;
            }
            phone.createKey(KeyKind.PASSCODE_SIGN);
            long id = phone.prompt(2, Phone.ALIAS, 1);
            FakePrompt shown = phone.android.prompt();
            equal(null, shown.negative);
            equal(32768, shown.authenticators);
            phone.android.main.run(shown::credential);
            Phone.Success success = phone.success(id);
            equal(1L, success.type());
            check(phone.use(success.handle(), new byte[] {1}).length > 60, "a signature");
        }
    }

    @Test("without a reason the prompt has no description")
    void noReason() {
        Phone phone = new Phone(36);
        phone.begin(2, new Message.Writer()
                .number(1).text("t").text(null).text("n").text(null).number(0).bytes(null).flag(true));
        phone.android.main.settle();
        equal(null, phone.android.prompt().description);
        equal(true, phone.android.prompt().confirmation);
    }

    @Test("an empty title and a missing button text are refused by the system and told")
    void refused() {
        Phone phone = new Phone(36);
        Message.Writer noTitle = new Message.Writer()
                .number(1).text("").text("r").text("n").text(null).number(0).bytes(null).flag(true);
        equal(List.of("java.lang.IllegalArgumentException"), phone.run(2, noTitle).classes());
        Message.Writer noButton = new Message.Writer()
                .number(1).text("t").text("r").text(null).text(null).number(0).bytes(null).flag(true);
        equal(List.of("java.lang.IllegalArgumentException"), phone.run(2, noButton).classes());
    }
}
