package embedded

import (
	"fmt"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func TestControlPlaneRunsWorkloads(t *testing.T) {
	c := startTest(t, Options{})
	client := testClient(t, c)
	t.Run("Deployment becomes available", func(t *testing.T) { deployAndAwait(t, client, "web") })
	t.Run("Job completes", func(t *testing.T) { runJob(t, client) })
	t.Run("namespace is deleted with what is in it", func(t *testing.T) { deleteNamespace(t, client) })
	t.Run("owned object is collected", func(t *testing.T) { collectOwned(t, client) })
	t.Run("token has the rights of its account only", func(t *testing.T) { useToken(t, c, client) })
}

func podTemplate(name string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.com/main:1"}}},
	}
}

func deployAndAwait(t *testing.T, client kubernetes.Interface, name string) {
	replicas := int32(2)
	deployments := client.AppsV1().Deployments("default")
	_, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: podTemplate(name),
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		got, err := deployments.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		for _, condition := range got.Status.Conditions {
			if condition.Type == appsv1.DeploymentAvailable && condition.Status == corev1.ConditionTrue && got.Status.AvailableReplicas == replicas {
				return ""
			}
		}
		return fmt.Sprintf("Deployment is not available: %+v", got.Status)
	})
}

func runJob(t *testing.T, client kubernetes.Interface) {
	template := podTemplate("once")
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	jobs := client.BatchV1().Jobs("default")
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "once"}, Spec: batchv1.JobSpec{Template: template}}
	if _, err := jobs.Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		got, err := jobs.Get(t.Context(), "once", metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		for _, condition := range got.Status.Conditions {
			if condition.Type == batchv1.JobComplete && condition.Status == corev1.ConditionTrue {
				return ""
			}
		}
		return fmt.Sprintf("Job is not complete: %+v", got.Status)
	})
}

func deleteNamespace(t *testing.T, client kubernetes.Interface) {
	namespaces := client.CoreV1().Namespaces()
	if _, err := namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "gone"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	content := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "content"}}
	if _, err := client.CoreV1().ConfigMaps("gone").Create(t.Context(), content, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := namespaces.Delete(t.Context(), "gone", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		got, err := namespaces.Get(t.Context(), "gone", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return ""
		}
		return fmt.Sprintf("namespace is still there: %+v, %v", got.Status, err)
	})
}

func collectOwned(t *testing.T, client kubernetes.Interface) {
	configMaps := client.CoreV1().ConfigMaps("default")
	owner, err := configMaps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owned", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID},
	}}}
	if _, err := configMaps.Create(t.Context(), owned, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := configMaps.Delete(t.Context(), "owner", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		if _, err := configMaps.Get(t.Context(), "owned", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Sprintf("the owned object is still there: %v", err)
		}
		return ""
	})
}

func useToken(t *testing.T, c *ControlPlane, admin kubernetes.Interface) {
	ctx := t.Context()
	if _, err := admin.CoreV1().ServiceAccounts("default").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "reader"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}}},
	}
	if _, err := admin.RbacV1().Roles("default").Create(ctx, role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "reader", Namespace: "default"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
	}
	if _, err := admin.RbacV1().RoleBindings("default").Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "reader.kubeconfig")
	if err := c.TokenKubeconfig(ctx, "default", "reader", path); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	// RBAC reads its rules through a cache, so that a new binding takes a moment.
	eventually(t, func() string {
		if _, err := reader.CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{}); err != nil {
			return err.Error()
		}
		return ""
	})
	if _, err := reader.CoreV1().ConfigMaps("kube-system").List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("reading another namespace: %v, want forbidden", err)
	}
	if _, err := reader.CoreV1().Secrets("default").List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("reading Secrets: %v, want forbidden", err)
	}
}
