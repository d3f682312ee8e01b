#include "CJVMPhone.h"
#include "CJNI.h"
#include <jni.h>
#include <stdlib.h>
#include <string.h>

/// The environment and the method; NULL where there is none, which is printed.
static jmethodID method(JNIEnv *env, const char *class, const char *name, const char *type, jclass *found) {
    if (env == NULL) return NULL;
    *found = (*env)->FindClass(env, class);
    jmethodID id = *found == NULL ? NULL : (*env)->GetStaticMethodID(env, *found, name, type);
    if (id == NULL) (*env)->ExceptionDescribe(env);
    return id;
}

int32_t jvm_phone_start(int32_t level) {
    JNIEnv *env = thumbturn_environment();
    jclass phone = NULL;
    jmethodID start = method(env, "com/thumbturn/internal/JvmPhone", "start", "(I)V", &phone);
    if (start == NULL) return -1;
    (*env)->CallStaticVoidMethod(env, phone, start, (jint)level);
    int32_t result = (*env)->ExceptionCheck(env) ? -1 : 0;
    if (result != 0) (*env)->ExceptionDescribe(env);
    (*env)->DeleteLocalRef(env, phone);
    return result;
}

char *jvm_phone_tell(const char *command) {
    JNIEnv *env = thumbturn_environment();
    jclass android = NULL;
    jmethodID tell = method(env, "com/thumbturn/fake/FakeAndroid", "tell", "(Ljava/lang/String;)Ljava/lang/String;", &android);
    if (tell == NULL) return NULL;
    jstring text = (*env)->NewStringUTF(env, command);
    jstring answer = text == NULL ? NULL : (*env)->CallStaticObjectMethod(env, android, tell, text);
    char *result = NULL;
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
    } else if (answer != NULL) {
        const char *bytes = (*env)->GetStringUTFChars(env, answer, NULL);
        if (bytes != NULL) {
            result = strdup(bytes);
            (*env)->ReleaseStringUTFChars(env, answer, bytes);
        }
    }
    if (answer != NULL) (*env)->DeleteLocalRef(env, answer);
    if (text != NULL) (*env)->DeleteLocalRef(env, text);
    (*env)->DeleteLocalRef(env, android);
    return result;
}
