package workflows_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientset "k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/cli/workflows"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

func component(t *testing.T, run *workflow.Run) *corev1alpha1.Component {
	t.Helper()
	made := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db", UID: "uid-1"}}
	made.Status.Conditions = []metav1.Condition{{Type: condition.Workflow, Status: metav1.ConditionUnknown, Message: "It goes on."}}
	if run != nil {
		raw, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		made.Status.WorkflowRun = &runtime.RawExtension{Raw: raw}
	}
	return made
}

// answering is a cluster whose agent acts upon each request at once, and notes them.
func answering(t *testing.T, object *corev1alpha1.Component, asked *[]string) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(object).WithInterceptorFuncs(interceptor.Funcs{
		Patch: func(ctx context.Context, next client.WithWatch, patched client.Object, patch client.Patch, options ...client.PatchOption) error {
			if err := next.Patch(ctx, patched, patch, options...); err != nil {
				return err
			}
			answered := patched.DeepCopyObject().(*corev1alpha1.Component)
			answered.Status.WorkflowRequest = answered.Annotations[corev1alpha1.WorkflowRequestAnnotation]
			*asked = append(*asked, answered.Status.WorkflowRequest)
			return next.Update(ctx, answered)
		},
	}).Build()
}

func TestRequestsReachTheAgentAndAreAnswered(t *testing.T) {
	var asked []string
	spokeClient := answering(t, component(t, &workflow.Run{Phase: workflow.PhaseRunning, Steps: []workflow.StepStatus{{Name: "a"}}}), &asked)
	for _, request := range []workflows.Request{{Verb: "suspend"}, {Verb: "restart", Step: "a"}, {Verb: "restart", Step: "a"}} {
		got, err := workflows.Ask(t.Context(), spokeClient, client.ObjectKey{Namespace: "shop", Name: "db"}, request)
		if err != nil || got.Message != "It goes on." {
			t.Errorf("%v: got %v, %v", request, got, err)
		}
	}
	if len(asked) != 3 || !strings.HasPrefix(asked[0], "suspend/") || !strings.HasPrefix(asked[1], "restart:a/") || asked[1] == asked[2] {
		t.Errorf("asked %q", asked)
	}
}

func TestWhatTheAgentWouldRefuseIsNotAsked(t *testing.T) {
	running := &workflow.Run{Phase: workflow.PhaseRunning}
	for name, tc := range map[string]struct {
		run     *workflow.Run
		request workflows.Request
		want    string
	}{
		"no workflow":       {nil, workflows.Request{Verb: "restart"}, "no workflow has begun"},
		"nothing suspended": {running, workflows.Request{Verb: "resume"}, "nothing to resume"},
		"no such step":      {running, workflows.Request{Verb: "restart", Step: "b"}, `no step "b" has begun`},
		"ended":             {&workflow.Run{Phase: workflow.PhaseFailed}, workflows.Request{Verb: "terminate"}, "failed already"},
	} {
		var asked []string
		spokeClient := answering(t, component(t, tc.run), &asked)
		_, err := workflows.Ask(t.Context(), spokeClient, client.ObjectKey{Namespace: "shop", Name: "db"}, tc.request)
		if err == nil || !strings.Contains(err.Error(), tc.want) || len(asked) > 0 {
			t.Errorf("%s: got %v and asked %q, want %s", name, err, asked, tc.want)
		}
	}
	var asked []string
	held := answering(t, component(t, &workflow.Run{Phase: workflow.PhaseFailed, Event: workflow.Delete}), &asked)
	if _, err := workflows.Ask(t.Context(), held, client.ObjectKey{Namespace: "shop", Name: "db"}, workflows.Request{Verb: "terminate"}); err != nil {
		t.Errorf("a failed deletion can be terminated: %v", err)
	}
}

func TestLogsShowStepsAndTheirJobs(t *testing.T) {
	labels := map[string]string{corev1alpha1.ComponentUIDLabel: "uid-1"}
	spoke := clientset.NewClientset(
		&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db-1234", Labels: labels}},
		&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db-5678", Labels: labels}},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db-1234-x", Labels: map[string]string{batchv1.JobNameLabel: "db-1234"}}},
	)
	of := component(t, &workflow.Run{Event: workflow.Create, Steps: []workflow.StepStatus{
		{Name: "migrate", Type: workflow.TypeRunJob, ID: "1234", Phase: workflow.StepSucceeded},
		{Name: "dispatch", Type: workflow.TypeDispatch, ID: "9", Phase: workflow.StepRunning, Message: "waiting"},
	}})
	var out bytes.Buffer
	if err := workflows.Logs(t.Context(), &out, spoke, of, ""); err != nil {
		t.Fatal(err)
	}
	if want := "migrate (run-job): succeeded\nfake logsdispatch (dispatch): running, waiting\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if err := workflows.Logs(t.Context(), &out, spoke, of, "other"); err == nil || !strings.Contains(err.Error(), `no step "other" has begun`) {
		t.Errorf("got %v", err)
	}
}
