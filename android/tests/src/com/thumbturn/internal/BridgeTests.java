package com.thumbturn.internal;

import static com.thumbturn.internal.Phone.check;
import static com.thumbturn.internal.Phone.equal;

import java.util.ArrayList;
import java.util.List;

final class BridgeTests {
    @Test("an unknown operation, a malformed request and a missing context are thrown answers")
    void refusals() {
        Phone phone = new Phone(36);
        equal(List.of("java.lang.IllegalArgumentException"), phone.run(99, new Message.Writer()).classes());
        equal(List.of("java.lang.IllegalArgumentException"), phone.run(19, new Message.Writer().number(1)).classes());
        for (int operation : new int[] {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 20}) {
            equal(List.of("java.lang.IllegalArgumentException"), phone.run(operation, new Message.Writer()).classes());
        }
        Bridge.resetForTests(phone);
        equal(List.of("java.lang.IllegalStateException"), phone.run(1, new Message.Writer()).classes());
    }

    @Test("the chain of causes is told outermost first and ends, though it is circular")
    void causes() {
        Phone phone = new Phone(36);
        Exception inner = new java.io.IOException("inner");
        Exception outer = new IllegalStateException(inner);
        inner.initCause(outer);
        new Answer(900, phone).threw(outer);
        List<String> classes = phone.next(900).classes();
        equal(8, classes.size());
        equal(List.of("java.lang.IllegalStateException", "java.io.IOException"), classes.subList(0, 2));
    }

    @Test("after the last answer nothing is sent")
    void oneLastAnswer() {
        Phone phone = new Phone(36);
        Answer answer = new Answer(901, phone);
        answer.news(new Message.Writer().number(7));
        answer.done();
        answer.news(new Message.Writer().number(8));
        answer.done();
        answer.threw(new IllegalStateException());
        equal(7L, phone.next(901).news().number());
        phone.next(901).done().end();
        phone.silent(901);
    }

    @Test("Java's calls get their answers by id, news before the last one, and nothing after")
    void calls() throws InterruptedException {
        Phone phone = new Phone(36);
        List<String> received = new ArrayList<>();
        long first = Bridge.call(5, new Message.Writer().number(1), (kind, fields) -> received.add("first " + kind + " " + fields.text()));
        long second = Bridge.call(6, new Message.Writer(), (kind, fields) -> received.add("second " + kind + " " + fields.text()));
        check(first < 0 && second < 0 && first != second, "the ids of Java's calls are negative and differ");
        equal(5, phone.calls.take().operation());
        Bridge.begin(second, 0, new Message.Writer().number(Answer.NEWS).text("a").toBytes());
        Bridge.begin(first, 0, new Message.Writer().number(Answer.DONE).text("b").toBytes());
        Bridge.begin(second, 0, new Message.Writer().number(Answer.THREW).text("c").toBytes());
        Bridge.begin(second, 0, new Message.Writer().number(Answer.DONE).text("d").toBytes());
        equal(List.of("second 2 a", "first 0 b", "second 1 c"), received);
    }

    @Test("requests and answers are wiped once they were read or handed over")
    void wiped() {
        Phone phone = new Phone(36);
        byte[] bytes = {1, 2, 3};
        phone.createKey(KeyKind.PIN_HMAC);
        phone.done(15, new Message.Writer().text(Phone.ALIAS).bytes(bytes));
        phone.createKey(KeyKind.SECRETS);
        Message.Reader box = phone.done(16, new Message.Writer().text(Phone.ALIAS).bytes(bytes));
        phone.done(17, new Message.Writer().text(Phone.ALIAS).bytes(box.bytes()).bytes(box.bytes()));
        byte[] spki = phone.create(Phone.ALIAS, KeyKind.VAULT_BIOMETRIC, null).done().bytes();
        byte[] wrapped = phone.done(20, new Message.Writer().bytes(spki).bytes(bytes)).bytes();
        long prompt = phone.prompt(1, Phone.ALIAS, 3);
        com.thumbturn.fake.FakeAndroid.tell("match");
        check(java.util.Arrays.equals(bytes, phone.use(phone.success(prompt).handle(), wrapped)), "the secret");
        phone.run(99, new Message.Writer().bytes(bytes));
        Bridge.call(5, new Message.Writer().bytes(bytes), (kind, fields) -> {});
        phone.begin(-1_000_000, 0, new Message.Writer().number(Answer.DONE).bytes(bytes));
        phone.checkWiped();
    }
}
