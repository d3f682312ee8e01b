package com.thumbturn;

import static java.util.Objects.requireNonNull;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A request to one of the app's own APIs. It may carry tokens, so it prints as its type's name. */
public final class Request {
    final String method;
    final String url;
    final Map<String, String> headers;
    final byte[] body;

    @Nullable private final Action action;
    @Nullable private final Amount amount;
    private final String reason;
    private final Policy policy;

    private Request(
            String method, String url, Map<String, String> headers, byte[] body, @Nullable Action action,
            @Nullable Amount amount, String reason, Policy policy) {
        this.method = method;
        this.url = url;
        this.headers = headers;
        this.body = body;
        this.action = action;
        this.amount = amount;
        this.reason = reason;
        this.policy = policy;
    }

    /** Makes a request without headers and body. The method is in capital letters. */
    public static Request of(String method, String url) {
        return new Request(
                requireNonNull(method, "method"), requireNonNull(url, "url"), Collections.emptyMap(), new byte[0], null, null, "",
                Policy.HIGH_RISK);
    }

    /** The same request with a header field. */
    public Request header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
        return new Request(method, url, Collections.unmodifiableMap(more), body, action, amount, reason, policy);
    }

    /** The same request with several header fields. */
    public Request headers(Map<String, String> added) {
        requireNonNull(added, "added");
        Request request = this;
        for (Map.Entry<String, String> field : added.entrySet()) {
            request = request.header(field.getKey(), field.getValue());
        }
        return request;
    }

    /** The same request with a body. */
    public Request body(byte[] bytes) {
        requireNonNull(bytes, "bytes");
        return new Request(method, url, headers, bytes.clone(), action, amount, reason, policy);
    }

    /** The same request, for an action that needs a step-up. The reason is shown in the prompt. */
    public Request doing(Action action, @Nullable Amount amount, String reason, Policy policy) {
        return asking(requireNonNull(action, "action"), amount, reason, policy);
    }

    /**
     * The same request with the reason for a prompt, which is shown where the API demands a fresh proof of presence (RFC 9470).
     * Without a reason such a demand fails with {@link Failure#REFUSED}.
     */
    public Request asking(String reason, Policy policy) {
        return asking(action, amount, reason, policy);
    }

    private Request asking(@Nullable Action action, @Nullable Amount amount, String reason, Policy policy) {
        return new Request(
                method, url, headers, body, action, amount, requireNonNull(reason, "reason"), requireNonNull(policy, "policy"));
    }

    void write(Message.Writer to) {
        to.text(method).text(url).list(headers.entrySet(), (message, field) ->
                message.text(field.getKey()).text(field.getValue())).bytes(body);
        Action.write(action, to);
        Amount.write(amount, to);
        to.text(reason).text(policy.name);
    }

    @Override
    public String toString() {
        return "Request";
    }
}
